import GeoService
import Glibc

/// Shows how far an import or an export is: a bar on a terminal, else a line now and then.
final class ProgressBar {
    private static let barColumns = 24

    private let title: String
    private let output: Output
    private let isTerminal: Bool
    private let began = ContinuousClock.now
    private var shownAt: ContinuousClock.Instant?
    private var shownColumns = 0

    /// Begins to show.
    ///
    /// - Parameter title: What is imported or exported.
    init(_ title: String, output: Output = .error) {
        self.title = title
        self.output = output
        isTerminal = output.isTerminal
    }

    /// Shows a state, unless one was shown just before.
    func show(_ progress: ImportProgress) {
        showSometimes { seconds in
            (progress.share, importFacts(progress, seconds))
        }
    }

    /// Shows a state, unless one was shown just before.
    ///
    /// - Parameters:
    ///   - share: How much of all is done, in 0...1; nil when that is not known.
    ///   - done: How much was done since the beginning, in some unit.
    ///   - left: How much is left, in the same unit.
    ///   - what: What was done, in words.
    ///   - unit: The unit of the rate; nil shows none.
    func show(share: Double?, done: Double, left: Double, what: String, unit: String?) {
        showSometimes { seconds in
            var facts = share.map { ["\(Int($0 * 100)) %"] } ?? []
            facts.append(what)
            if let unit, seconds > 0 { facts.append("\(Int(done / seconds).grouped) \(unit)") }
            if share != nil, done > 0 {
                facts.append("\(ProgressBar.time(seconds / done * left)) left")
            }
            return (share, facts)
        }
    }

    private func showSometimes(_ state: (_ seconds: Double) -> (share: Double?, facts: [String])) {
        let now = ContinuousClock.now
        let pause: Duration = isTerminal ? .milliseconds(100) : .seconds(5)
        guard now - (shownAt ?? began) >= pause else { return }
        shownAt = now
        let (share, list) = state((now - began) / .seconds(1))
        let facts = list.joined(separator: ", ")
        if isTerminal {
            draw(line(share, facts))
        } else {
            output.write(Array("\(title): \(facts)\n".utf8))
        }
    }

    /// Takes the bar away.
    func end() {
        guard isTerminal, shownColumns > 0 else { return }
        output.write(Array(("\r" + String(repeating: " ", count: shownColumns) + "\r").utf8))
    }

    private func draw(_ line: String) {
        let text = String(line.prefix(max(10, output.columns - 1)))
        output.write(Array(("\r" + text.padded(to: shownColumns)).utf8))
        shownColumns = text.count
    }

    private func line(_ share: Double?, _ facts: String) -> String {
        guard let share else { return "\(title)  \(facts)" }
        let full = Int((share * Double(ProgressBar.barColumns)).rounded(.down))
        let bar =
            String(repeating: "█", count: full)
            + String(repeating: "░", count: ProgressBar.barColumns - full)
        return "\(title)  \(bar)  \(facts)"
    }

    private func importFacts(_ progress: ImportProgress, _ seconds: Double) -> [String] {
        var facts: [String] = []
        if let share = progress.share { facts.append("\(Int(share * 100)) %") }
        if let rows = progress.rows {
            facts.append("\(rows.grouped) rows")
            if seconds > 0 { facts.append("\(Int(Double(rows) / seconds).grouped) rows/s") }
        }
        if let share = progress.share {
            if progress.rows == nil && share >= 1 {
                facts.append("sent; the server stores it")
            } else if share > 0.01 {
                facts.append("\(ProgressBar.time(seconds / share * (1 - share))) left")
            }
        }
        return facts
    }

    private static func time(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(.up), 359_999))
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }
}

extension Int {
    /// The number with a comma before every three digits: `144,563`.
    var grouped: String {
        var text = ""
        for (place, digit) in String(magnitude).reversed().enumerated() {
            if place > 0 && place % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (self < 0 ? "-" : "") + String(text.reversed())
    }
}
