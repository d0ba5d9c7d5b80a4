/// Rewrites whole numbers that do not fit in 64 bits as doubles.
enum IntegerWidening {
    /// The text with ".0" after every whole number outside the range of `UInt64` and `Int64`, or
    /// nil when there is none. Malformed text stays malformed. O(bytes).
    static func widened(_ bytes: Span<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var found = false
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            if byte == UInt8(ascii: "\"") {
                let end = endOfString(bytes, from: place)
                for index in place..<end { result.append(bytes[index]) }
                place = end
            } else if byte == UInt8(ascii: "-") || isDigit(byte) {
                let end = endOfNumber(bytes, from: place)
                for index in place..<end { result.append(bytes[index]) }
                if overflows(bytes, place..<end) {
                    result.append(UInt8(ascii: "."))
                    result.append(UInt8(ascii: "0"))
                    found = true
                }
                place = end
            } else {
                result.append(byte)
                place += 1
            }
        }
        return found ? result : nil
    }

    /// One past the closing quote, or the end of the text.
    private static func endOfString(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""): return place + 1
            case UInt8(ascii: "\\"): place += 2
            default: place += 1
            }
        }
        return bytes.count
    }

    private static func endOfNumber(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var place = start + 1
        while place < bytes.count, isNumberPart(bytes[place]) { place += 1 }
        return place
    }

    /// True for a sign and digits only whose value lies outside both 64-bit ranges.
    private static func overflows(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let negative = bytes[range.lowerBound] == UInt8(ascii: "-")
        var magnitude: UInt64 = 0
        var overflowed = false
        for index in (negative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound {
            guard isDigit(bytes[index]) else { return false }
            let (shifted, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = shifted.addingReportingOverflow(
                UInt64(bytes[index] - UInt8(ascii: "0")))
            overflowed = overflowed || first || second
            magnitude = sum
        }
        return overflowed || (negative && magnitude > Int64.min.magnitude)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNumberPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            true
        default: isDigit(byte)
        }
    }
}
