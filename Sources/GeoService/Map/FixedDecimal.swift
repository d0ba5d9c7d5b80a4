import GeoIndex

/// Whole millionths (``FixedPoint``) as decimal numbers, exactly: no binary fraction comes between
/// the index and the text.
enum FixedDecimal {
    private static let unitsPerOne = Int128(FixedPoint.unitsPerOne)

    /// The shortest decimal number: `4`, `-0.5`, `12.000001`.
    static func text(units: Int128) -> String {
        let size = units.magnitude
        let whole = size / unitsPerOne.magnitude
        var fraction = size % unitsPerOne.magnitude
        let sign = units < 0 ? "-" : ""
        guard fraction > 0 else { return "\(sign)\(whole)" }
        var digits = 6
        while fraction % 10 == 0 {
            fraction /= 10
            digits -= 1
        }
        let text = String(fraction)
        let zeros = String(repeating: "0", count: digits - text.utf8.count)
        return "\(sign)\(whole).\(zeros)\(text)"
    }

    /// The mean of `count` numbers with a sum, rounded to the nearest unit, halves away from zero.
    ///
    /// - Precondition: `count` is above 0.
    static func mean(sum: Int128, count: Int) -> Int128 {
        let size = sum.magnitude
        let divisor = UInt128(count)
        // A sum is at most 2^63 numbers of less than 2^63, so twice the rest fits.
        let rounded = size / divisor + (2 * (size % divisor) >= divisor ? 1 : 0)
        return sum < 0 ? -Int128(rounded) : Int128(rounded)
    }
}
