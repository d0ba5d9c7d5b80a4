/// Numbers and times written as ASCII, without locale and without the C library.
extension [UInt8] {
    /// Appends a whole number in decimal.
    mutating func append(decimal value: UInt64) {
        if value >= 10 { append(decimal: value / 10) }
        append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// Appends a whole number, at least `width` digits wide.
    mutating func append(decimal value: UInt64, width: Int) {
        if width > 1 || value >= 10 { append(decimal: value / 10, width: width - 1) }
        append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// Appends a fixed-point number: `units` of 10^-`places`.
    mutating func append(fixedPoint units: Int32, places: Int) {
        if units < 0 { append(UInt8(ascii: "-")) }
        var scale: UInt64 = 1
        for _ in 0..<places { scale *= 10 }
        let magnitude = UInt64(units.magnitude)
        append(decimal: magnitude / scale)
        append(UInt8(ascii: "."))
        append(decimal: magnitude % scale, width: places)
    }

    /// Appends a time from 1970 to 9999 as RFC 3339 in UTC with milliseconds.
    ///
    /// The calendar is the proleptic Gregorian one; days are turned into dates by eras of 400
    /// years that begin in March, so that the leap day is the last.
    mutating func append(rfc3339Milliseconds milliseconds: Int64) {
        let time = UInt64(clamping: milliseconds)
        let days = time / 86_400_000
        let second = time / 1000 % 86_400
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        append(decimal: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), width: 4)
        append(UInt8(ascii: "-"))
        append(decimal: month, width: 2)
        append(UInt8(ascii: "-"))
        append(decimal: dayOfYear - (153 * marchMonth + 2) / 5 + 1, width: 2)
        append(UInt8(ascii: "T"))
        append(decimal: second / 3600, width: 2)
        append(UInt8(ascii: ":"))
        append(decimal: second / 60 % 60, width: 2)
        append(UInt8(ascii: ":"))
        append(decimal: second % 60, width: 2)
        append(UInt8(ascii: "."))
        append(decimal: time % 1000, width: 3)
        append(UInt8(ascii: "Z"))
    }
}
