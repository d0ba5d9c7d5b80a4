/// Times as `$relativeTime` says them: `now`, `12 days ago`, `in 1 year 2 weeks`.
enum RelativeTime {
    /// Milliseconds of each unit; a year has 365 days.
    private static let units: [String: Int64] = {
        var units: [String: Int64] = [:]
        for (names, milliseconds) in [
            (["s", "sec", "secs", "second", "seconds"], 1_000),
            (["min", "mins", "minute", "minutes"], 60_000),
            (["hr", "hrs", "hour", "hours"], 3_600_000),
            (["day", "days"], 86_400_000),
            (["wk", "wks", "week", "weeks"], 7 * 86_400_000),
            (["yr", "yrs", "year", "years"], 365 * 86_400_000),
        ] as [([String], Int64)] {
            for name in names { units[name] = milliseconds }
        }
        return units
    }()

    /// The time that a text says; nil when it says none.
    static func time(_ text: String, now: Timestamp) -> Timestamp? {
        var words = text.lowercased().split(separator: " ").map(String.init)
        if words == ["now"] { return now }
        let isFuture = words.first == "in"
        guard isFuture != (words.last == "ago") else { return nil }
        if isFuture { words.removeFirst() } else { words.removeLast() }
        guard !words.isEmpty, words.count % 2 == 0, words.count <= 16 else { return nil }
        var sum: Int64 = 0
        for index in stride(from: 0, to: words.count, by: 2) {
            // Nine digits of years are below 2^63 milliseconds, eight times over.
            guard let count = Int64(words[index]), (0...99_999_999).contains(count),
                let unit = units[words[index + 1]]
            else { return nil }
            sum += count * unit
        }
        return Timestamp(milliseconds: now.milliseconds + (isFuture ? sum : -sum))
    }
}
