import JSONText

/// Reads the times of GPX: `2013-01-02T02:03:00Z`, with or without a fraction and the `Z`; GPX
/// says that they are UTC.
enum GPXTime {
    /// The time as a Date of the API; nil when it is none, or is in another zone.
    static func date(_ text: String) -> JSONValue? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes.count <= 40 else { return nil }
        for (place, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] {
            guard bytes[place] == separator.utf8.first else { return nil }
        }
        func number(_ range: Range<Int>) -> Int? {
            guard bytes[range].allSatisfy(isDigit) else { return nil }
            return Int(String(decoding: bytes[range], as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        var rest = bytes[19...]
        var milliseconds: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            let fraction = rest.prefix(while: isDigit)
            guard !fraction.isEmpty else { return nil }
            milliseconds = Array(fraction.prefix(3))
            rest = rest.dropFirst(fraction.count)
        }
        guard rest.isEmpty || rest.elementsEqual([UInt8(ascii: "Z")]) else { return nil }
        while milliseconds.count < 3 { milliseconds.append(UInt8(ascii: "0")) }
        let iso =
            String(decoding: bytes[..<19], as: UTF8.self) + "."
            + String(decoding: milliseconds, as: UTF8.self) + "Z"
        return ["__type": "Date", "iso": .string(iso)]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
