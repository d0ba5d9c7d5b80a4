/// A decimal number in a text, read exactly.
struct DecimalNumber {
    /// The double nearest to the number; always finite.
    let value: Double
    /// The number itself, when it is written without fraction and exponent and fits.
    let integer: Int64?
    /// Whether JSON would take the spelling: no plus, no leading zero, a digit on either side of
    /// the point.
    let isJSON: Bool
    /// False for a whole number too long for `integer`, such as a 20-digit key: as a double it
    /// would be another key.
    let isExact: Bool

    /// Reads all of a range; nil when it is not a decimal number or not finite as a double.
    ///
    /// Up to 19 digits that fit 53 bits, with a power of ten up to 22, are exact in one
    /// multiplication or division of doubles (W. D. Clinger, "How to read floating point numbers
    /// accurately", PLDI 1990). Anything longer goes through the library's reader, which rounds
    /// correctly too.
    ///
    /// - Complexity: O(length).
    /// - Parameter point: What stands before the fraction: a point, or the comma of other countries.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>, point: UInt8 = UInt8(ascii: ".")) {
        var place = range.lowerBound
        let end = range.upperBound
        var mantissa: UInt64 = 0
        var digits = 0
        var power = 0
        guard place < end else { return nil }
        let sign = bytes[place]
        let isNegative = sign == UInt8(ascii: "-")
        let hasPlus = sign == UInt8(ascii: "+")
        if isNegative || hasPlus { place += 1 }

        // A run of digits into the mantissa; 19 of them fit 64 bits, so nothing overflows.
        func take(_ byte: UInt8) {
            if digits < 19 { mantissa = mantissa &* 10 &+ UInt64(byte &- 0x30) }
            if mantissa > 0 { digits += 1 }
        }
        let wholeStart = place
        while place < end, bytes[place] &- 0x30 < 10 {
            take(bytes[place])
            place += 1
        }
        let wholeDigits = place - wholeStart
        let hasLeadingZero = wholeDigits > 1 && bytes[wholeStart] == 0x30
        var fractionDigits = 0
        var hasPoint = false
        if place < end, bytes[place] == point {
            hasPoint = true
            place += 1
            let fractionStart = place
            while place < end, bytes[place] &- 0x30 < 10 {
                take(bytes[place])
                place += 1
            }
            fractionDigits = place - fractionStart
            power = -fractionDigits
        }
        guard wholeDigits + fractionDigits > 0 else { return nil }
        var hasExponent = false
        if place < end, bytes[place] | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            place += 1
            var isNegativeExponent = false
            if place < end, bytes[place] == UInt8(ascii: "-") || bytes[place] == UInt8(ascii: "+") {
                isNegativeExponent = bytes[place] == UInt8(ascii: "-")
                place += 1
            }
            let exponentStart = place
            var exponent = 0
            while place < end, bytes[place] &- 0x30 < 10 {
                // Beyond a million the number is 0 or infinite already.
                if exponent < 1_000_000 { exponent = exponent * 10 + Int(bytes[place] &- 0x30) }
                place += 1
            }
            guard place > exponentStart else { return nil }
            power += isNegativeExponent ? -exponent : exponent
        }
        guard place == end else { return nil }

        isJSON = !hasPlus && !hasLeadingZero && wholeDigits > 0 && (!hasPoint || fractionDigits > 0)
        var magnitude: Double
        if digits <= 19, mantissa <= 1 << 53, (-22...22).contains(power) {
            magnitude = Double(mantissa)
            if power < 0 {
                magnitude /= DecimalNumber.powersOfTen[-power]
            } else {
                magnitude *= DecimalNumber.powersOfTen[power]
            }
        } else {
            guard let slow = DecimalNumber.slowMagnitude(bytes, wholeStart..<end, point) else {
                return nil
            }
            magnitude = slow
        }
        value = isNegative ? -magnitude : magnitude
        let isWhole = !hasPoint && !hasExponent && !(isNegative && mantissa == 0)
        // 19 digits are below 10^19, which may or may not fit the signed type.
        let whole = isWhole && digits <= 19 ? Int64(exactly: mantissa) : nil
        integer = whole.map { isNegative ? -$0 : $0 }
        isExact = !isWhole || integer != nil
    }

    /// The number by way of the standard library, for long spellings.
    private static func slowMagnitude(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ point: UInt8
    ) -> Double? {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        for place in range {
            text.append(bytes[place] == point ? UInt8(ascii: ".") : bytes[place])
        }
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
            return nil
        }
        return value
    }

    /// 10^0 to 10^22, all of which a double holds exactly.
    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
