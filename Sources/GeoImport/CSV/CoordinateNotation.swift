/// How a column writes its coordinates.
enum CoordinateNotation: Hashable, Sendable {
    /// `-12.5`
    case decimalPoint
    /// `-12,5`
    case decimalComma
    /// `12°30'00"S`, see ``SexagesimalAngle``; plain decimal numbers among them are read too.
    case sexagesimal

    /// The coordinate of a cell's bytes without spaces round them; nil when it is none.
    ///
    /// - Parameter axis: Whose letters may stand with it.
    func value(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ axis: CoordinateNames.Axis
    ) -> Double? {
        switch self {
        case .decimalPoint: DecimalNumber(bytes, range)?.value
        case .decimalComma: DecimalNumber(bytes, range, point: UInt8(ascii: ","))?.value
        case .sexagesimal:
            DecimalNumber(bytes, range)?.value
                ?? SexagesimalAngle.degrees(bytes, range, axis)
        }
    }

    /// What is wrong with a cell that is none.
    var expectation: String {
        switch self {
        case .decimalPoint: "a decimal number"
        case .decimalComma: "a decimal number with a comma, as in most other rows"
        case .sexagesimal: "an angle such as 49°12'52.5\"N"
        }
    }

    /// The notation that most cells of a column are written in; nil when none is a coordinate.
    ///
    /// Whole numbers are in any of them, so they decide nothing unless there is nothing else.
    static func mostLikely(
        _ cells: some Sequence<[UInt8]>, _ axis: CoordinateNames.Axis
    ) -> CoordinateNotation? {
        var points = 0
        var commas = 0
        var angles = 0
        var wholes = 0
        for cell in cells {
            let range = cell.span.trimmed(cell.indices)
            if let number = DecimalNumber(cell.span, range) {
                if number.integer == nil { points += 1 } else { wholes += 1 }
            } else if DecimalNumber(cell.span, range, point: UInt8(ascii: ",")) != nil {
                commas += 1
            } else if SexagesimalAngle.degrees(cell.span, range, axis) != nil {
                angles += 1
            }
        }
        let most = max(points, commas, angles)
        if most == 0 { return wholes > 0 ? .decimalPoint : nil }
        if points == most { return .decimalPoint }
        return commas == most ? .decimalComma : .sexagesimal
    }
}

extension Span where Element == UInt8 {
    /// A range without the spaces and tabs at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while start < end, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }
}
