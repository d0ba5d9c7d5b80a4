/// Finds lines of a JSON text, for messages to the person who wrote it.
///
/// It is not a parser: it skips values well enough to find one in a text that is JSON, and to say
/// where another text stops being JSON in most cases.
struct JSONLines {
    /// A step from a value to one in it.
    enum Step: Hashable {
        case member(String)
        case element(Int)
    }

    private let text: [UInt8]
    private var place = 0
    /// How deep values nest: a bound on the stack.
    private static let depthLimit = 64

    private init(_ text: [UInt8]) { self.text = text }

    /// The line, from 1 on, on which a value begins; of the last one on the way that is there.
    static func line(of path: [Step], in text: [UInt8]) -> Int {
        var lines = JSONLines(text)
        lines.skipSpace()
        var found = lines.place
        for step in path {
            guard lines.enter(step) else { break }
            found = lines.place
        }
        return lines.line(of: found)
    }

    /// The line, from 1 on, on which a text stops being JSON; `nil` when that cannot be said.
    static func faultLine(in text: [UInt8]) -> Int? {
        var lines = JSONLines(text)
        let isWhole = lines.skipValue(depth: 0)
        lines.skipSpace()
        if isWhole && lines.place == text.count { return nil }
        return lines.line(of: min(lines.place, text.count))
    }

    private func line(of place: Int) -> Int {
        1 + text[..<place].count { $0 == UInt8(ascii: "\n") }
    }

    // MARK: Walking

    private var byte: UInt8? { place < text.count ? text[place] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { place += 1 }
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard byte == character.asciiValue else { return false }
        place += 1
        return true
    }

    /// Goes from the beginning of a value to that of one in it.
    private mutating func enter(_ step: Step) -> Bool {
        switch step {
        case .member(let name):
            guard take("{") else { return false }
            repeat {
                skipSpace()
                let start = place
                guard skipString() else { return false }
                let isIt = text[start + 1..<place - 1].elementsEqual(name.utf8)
                guard take(":") else { return false }
                skipSpace()
                if isIt { return true }
                guard skipValue(depth: 0) else { return false }
            } while take(",")
            return false
        case .element(let index):
            guard take("[") else { return false }
            for _ in 0..<index {
                guard skipValue(depth: 0), take(",") else { return false }
            }
            skipSpace()
            return true
        }
    }

    private mutating func skipValue(depth: Int) -> Bool {
        skipSpace()
        guard depth < JSONLines.depthLimit, let byte else { return false }
        switch byte {
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "{"):
            return skipItems("{", "}") { lines in
                lines.skipSpace()
                return lines.skipString() && lines.take(":") && lines.skipValue(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            return skipItems("[", "]") { $0.skipValue(depth: depth + 1) }
        default: return skipWord()
        }
    }

    private mutating func skipItems(
        _ open: Character, _ close: Character, _ skipItem: (inout JSONLines) -> Bool
    ) -> Bool {
        guard take(open) else { return false }
        if take(close) { return true }
        repeat {
            guard skipItem(&self) else { return false }
        } while take(",")
        return take(close)
    }

    private mutating func skipString() -> Bool {
        guard byte == UInt8(ascii: "\"") else { return false }
        let start = place
        place += 1
        while let byte, byte >= 0x20 {
            place += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") { place += 1 }
        }
        // A string that does not end on its line is wrong where it begins.
        place = start
        return false
    }

    /// A number or a literal.
    private mutating func skipWord() -> Bool {
        let start = place
        while let byte, JSONLines.isOfWord(byte) { place += 1 }
        let word = String(decoding: text[start..<place], as: UTF8.self)
        if ["true", "false", "null"].contains(word) || Double(word) != nil { return true }
        place = start
        return false
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
