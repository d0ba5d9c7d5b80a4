/// Counts as a badge shows them.
public enum CountLabel {
    /// The number itself below 1000, then thousands, millions and billions rounded down, with one
    /// decimal below ten unless that is zero.
    ///
    ///     CountLabel.abbreviated(1_299)    // "1.2k"
    ///     CountLabel.abbreviated(999_999)  // "999k"
    ///
    /// - Precondition: the count is not negative.
    public static func abbreviated(_ count: Int) -> String {
        precondition(count >= 0, "a count cannot be \(count)")
        if count < 1000 { return String(count) }
        let (unit, letter) =
            count < 1_000_000
            ? (1000, "k") : count < 1_000_000_000 ? (1_000_000, "M") : (1_000_000_000, "B")
        let tenths = count % unit / (unit / 10)
        if count / unit >= 10 || tenths == 0 { return "\(count / unit)\(letter)" }
        return "\(count / unit).\(tenths)\(letter)"
    }
}
