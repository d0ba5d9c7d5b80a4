/// Reads angles of degrees, minutes and seconds as people write them.
///
///     49°12'52.56"N    N 49° 12.876'    -49 12 52,56    49d12m52s n    49:12:52S    7.5° W
///
/// The parts are degrees, minutes and seconds, the last of which may have a fraction after a point
/// or a comma; minutes and seconds are at most 60. A minus or a letter for south or west makes the
/// angle negative; both together are no angle, nor is a letter of the other axis.
enum SexagesimalAngle {
    /// The angle in degrees of a range of bytes, UTF-8, without spaces round it.
    ///
    /// - Complexity: O(length).
    static func degrees(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ axis: CoordinateNames.Axis
    ) -> Double? {
        // No angle is longer: `N 179 ° 59 ′ 59.999999999999 ″`.
        guard range.count <= 64, let text = String(utf8: bytes, range) else { return nil }
        var reader = Reader(axis: axis)
        for scalar in marked(text) {
            guard reader.take(scalar) else { return nil }
        }
        return reader.finish()
    }

    /// The text with one spelling for each mark: `°`, `'` and `"`, the last also for two `'`.
    private static func marked(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case "º", "˚", "d", "D": scalars.append("°")
            case "'", "\u{2019}", "\u{2018}", "\u{2032}", "\u{b4}", "`", "m", "M":
                if scalars.last == "'" {
                    scalars[scalars.count - 1] = "\""
                } else {
                    scalars.append("'")
                }
            case "\u{201d}", "\u{201c}", "\u{2033}": scalars.append("\"")
            default: scalars.append(scalar)
            }
        }
        return scalars
    }

    /// The three parts, in order.
    private static let unitsInDegree = [1.0, 60.0, 3600.0]

    private struct Reader {
        let axis: CoordinateNames.Axis
        private var parts: [Double] = []
        /// The digits of the part that is read now.
        private var digits = ""
        private var isNegative = false
        private var hasSign = false
        private var letter: Unicode.Scalar?
        private var hasFraction = false

        init(axis: CoordinateNames.Axis) { self.axis = axis }

        mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "0"..."9":
                digits.unicodeScalars.append(scalar)
                return true
            case ".", ",":
                guard !digits.isEmpty, !digits.contains(".") else { return false }
                digits.append(".")
                return true
            case "-", "\u{2212}", "\u{2013}", "+":
                guard !hasSign, digits.isEmpty, parts.isEmpty else { return false }
                hasSign = true
                isNegative = scalar != "+"
                return true
            case " ", "\u{a0}", "\u{202f}", ":":
                return digits.isEmpty || end(mark: nil)
            case "°": return end(mark: 0)
            case "'": return end(mark: 1)
            case "\"": return end(mark: 2)
            case "s", "S":
                // Seconds, when seconds are what comes next and no letter has come; else south.
                if scalar == "s", !digits.isEmpty, parts.count == 2 { return end(mark: 2) }
                return take(letter: "S")
            case "n", "N": return take(letter: "N")
            case "e", "E": return take(letter: "E")
            case "w", "W": return take(letter: "W")
            default: return false
            }
        }

        private mutating func take(letter: Unicode.Scalar) -> Bool {
            guard self.letter == nil else { return false }
            let isEastOrWest = letter == "E" || letter == "W"
            guard isEastOrWest == (axis == .lon) else { return false }
            if !digits.isEmpty, !end(mark: nil) { return false }
            self.letter = letter
            return true
        }

        /// Ends a part of which the mark says what it is.
        private mutating func end(mark: Int?) -> Bool {
            // A mark may stand apart from its number: `49 ° 12 '`.
            if digits.isEmpty, let mark { return !parts.isEmpty && parts.count == mark + 1 }
            guard !hasFraction, parts.count < 3, let value = Double(digits), value.isFinite
            else { return false }
            if let mark, mark != parts.count { return false }
            hasFraction = digits.contains(".")
            digits = ""
            // Sixty seconds come from programs that round the last part alone.
            guard parts.isEmpty || value <= 60 else { return false }
            parts.append(value)
            return true
        }

        mutating func finish() -> Double? {
            if !digits.isEmpty, !end(mark: nil) { return nil }
            guard !parts.isEmpty, !(hasSign && letter != nil) else { return nil }
            let angle = zip(parts, SexagesimalAngle.unitsInDegree).reduce(0) { $0 + $1.0 / $1.1 }
            return isNegative || letter == "S" || letter == "W" ? -angle : angle
        }
    }
}
