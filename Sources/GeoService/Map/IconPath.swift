import TileRender

/// Why a text is no outline.
struct IconPathError: Error, CustomStringConvertible {
    /// What is wrong and what would be right.
    let description: String
}

/// Reads the outline of an icon: SVG path data of the commands M, L, H, V, C and Z, absolute only.
///
///     try IconPath.icon("M2 2H11V11H2Z")
///
/// Source: W3C, "Scalable Vector Graphics (SVG) 2", section 9.3. After a command its numbers may
/// follow several times; after M those are lines.
struct IconPath {
    private var text: Substring.UTF8View
    private var steps: [MarkIcon.Step] = []
    private var point = (x: 0.0, y: 0.0)
    private var start = (x: 0.0, y: 0.0)

    /// The icon of a text.
    ///
    /// - Throws: ``IconPathError``. O(length).
    static func icon(_ text: String) throws(IconPathError) -> MarkIcon {
        var path = IconPath(text: text[...].utf8)
        try path.read()
        return MarkIcon(path.steps)
    }

    private init(text: Substring.UTF8View) { self.text = text }

    private mutating func read() throws(IconPathError) {
        skipGaps()
        while let command = text.popFirst() {
            guard !steps.isEmpty || command == UInt8(ascii: "M") else {
                throw IconPathError(description: "begins with M, its first point")
            }
            try step(command)
            while startsNumber {
                try step(command == UInt8(ascii: "M") ? UInt8(ascii: "L") : command)
            }
        }
        guard case .close? = steps.last else {
            throw IconPathError(description: "ends with Z: outlines are filled")
        }
    }

    /// Reads what follows a command, once.
    private mutating func step(_ command: UInt8) throws(IconPathError) {
        guard steps.count < MarkIcon.mostSteps else {
            throw IconPathError(description: "has more than \(MarkIcon.mostSteps) steps")
        }
        switch command {
        case UInt8(ascii: "M"):
            point = try pair()
            start = point
            steps.append(.move(x: point.x, y: point.y))
        case UInt8(ascii: "L"): try line(to: pair())
        case UInt8(ascii: "H"): try line(to: (number(), point.y))
        case UInt8(ascii: "V"): try line(to: (point.x, number()))
        case UInt8(ascii: "C"):
            let (first, second) = (try pair(), try pair())
            point = try pair()
            steps.append(
                .curve(
                    x1: first.x, y1: first.y, x2: second.x, y2: second.y, x: point.x, y: point.y))
        case UInt8(ascii: "Z"):
            guard !startsNumber else { throw IconPathError(description: "has a number after Z") }
            point = start
            steps.append(.close)
        default:
            throw IconPathError(
                description: "has a command other than M, L, H, V, C and Z, or a number without "
                    + "one; they are capital letters")
        }
        skipGaps()
    }

    private mutating func line(to end: (x: Double, y: Double)) {
        point = end
        steps.append(.line(x: end.x, y: end.y))
    }

    private mutating func pair() throws(IconPathError) -> (x: Double, y: Double) {
        (try number(), try number())
    }

    /// A coordinate: digits, with a point among them if need be.
    private mutating func number() throws(IconPathError) -> Double {
        skipGaps()
        let digits = text.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        text = text[digits.endIndex...]
        let range = 0...Double(MarkIcon.gridUnits)
        guard digits.count <= 8, let number = Double(String(Substring(digits))),
            range.contains(number)
        else {
            throw IconPathError(
                description: "needs coordinates from 0 to \(MarkIcon.gridUnits) after each command")
        }
        return number
    }

    private var startsNumber: Bool {
        guard let byte = text.first else { return false }
        return (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".")
    }

    private mutating func skipGaps() {
        text = text.drop { [0x20, 0x09, 0x0a, 0x0d, UInt8(ascii: ",")].contains($0) }
    }
}
