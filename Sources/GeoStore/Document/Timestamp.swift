import Glibc

/// An instant in UTC, in whole milliseconds.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    package let milliseconds: Int64

    /// An instant from its milliseconds since 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The clock's present reading.
    package static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    private static let millisecondsPerDay: Int64 = 86_400_000
    /// 0000-01-01 and 9999-12-31T23:59:59.999, the range of RFC 3339.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with exactly three fraction digits: `2026-05-04T03:02:01.000Z`.
    ///
    /// An instant outside the years 0000–9999 is written as the nearest one inside.
    package var description: String {
        let clamped = min(
            max(milliseconds, Timestamp.writable.lowerBound), Timestamp.writable.upperBound)
        var day = clamped / Timestamp.millisecondsPerDay
        var rest = clamped % Timestamp.millisecondsPerDay
        if rest < 0 {
            rest += Timestamp.millisecondsPerDay
            day -= 1
        }
        let date = CivilDate(daysSince1970: day)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func append(_ value: Int64, digits: Int) {
            var divisor: Int64 = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
        }
        append(date.year, digits: 4)
        text.append(UInt8(ascii: "-"))
        append(date.month, digits: 2)
        text.append(UInt8(ascii: "-"))
        append(date.day, digits: 2)
        text.append(UInt8(ascii: "T"))
        append(rest / 3_600_000, digits: 2)
        text.append(UInt8(ascii: ":"))
        append(rest / 60_000 % 60, digits: 2)
        text.append(UInt8(ascii: ":"))
        append(rest / 1000 % 60, digits: 2)
        text.append(UInt8(ascii: "."))
        append(rest % 1000, digits: 3)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }
}

extension Timestamp {
    /// Reads RFC 3339: `2026-05-04T03:02:01.000Z`, any number of fraction digits up to nine (those
    /// past the third are dropped), `Z` or an offset such as `+02:00`. Anything else is nil; so are
    /// dates that the calendar does not have and leap seconds.
    package init?(rfc3339 text: String) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.skip("T") || scanner.skip("t"),
            let hour = scanner.number(digits: 2), hour < 24, scanner.skip(":"),
            let minute = scanner.number(digits: 2), minute < 60, scanner.skip(":"),
            let second = scanner.number(digits: 2), second < 60,
            let date = CivilDate(year: year, month: month, day: day),
            let fraction = scanner.fractionMilliseconds(),
            let offsetMinutes = scanner.offsetMinutes(), scanner.isAtEnd
        else { return nil }
        // At most 10^4 years of milliseconds: far below the range of Int64.
        let minutes = (date.daysSince1970 * 24 + hour) * 60 + minute - offsetMinutes
        milliseconds = (minutes * 60 + second) * 1000 + fraction
    }
}

/// Reads the fixed fields of a date text.
private struct DigitScanner {
    /// Room for the longest text, 35 characters; what is longer is cut and does not end there.
    private var bytes = InlineArray<36, UInt8>(repeating: 0)
    private var count = 0
    private var place = 0

    init(_ text: String) {
        for byte in text.utf8.prefix(bytes.count) {
            bytes[count] = byte
            count += 1
        }
    }

    var isAtEnd: Bool { place == count }

    mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard place < count, bytes[place] == UInt8(ascii: byte) else { return false }
        place += 1
        return true
    }

    mutating func digit() -> Int64? {
        guard place < count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
        else { return nil }
        place += 1
        return Int64(bytes[place - 1] - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// The part after the seconds; 0 when there is none.
    mutating func fractionMilliseconds() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var digits = 0
        while let digit = digit() {
            if digits < 3 { value = value * 10 + digit }
            digits += 1
        }
        guard (1...9).contains(digits) else { return nil }
        for _ in digits..<max(digits, 3) { value *= 10 }
        return value
    }

    mutating func offsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64 = skip("-") ? -1 : 1
        guard sign < 0 || skip("+"), let hours = number(digits: 2), hours < 24, skip(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
