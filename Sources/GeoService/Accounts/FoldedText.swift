@_spi(_Unicode) import Swift

/// What names of users and addresses are compared by: without case, without white space at their
/// ends, and composed (Unicode's form NFC), so that two names that look alike because an accent was
/// written in another way, or a blank slipped in, are one.
///
/// Letters of different scripts that look alike stay different.
enum FoldedText {
    /// The folded form of a text. O(n).
    static func of(_ text: String) -> String {
        composed(trimmed(composed(text).lowercased()))
    }

    private static func composed(_ text: String) -> String {
        // What is ASCII is composed.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return String(scalars)
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return text }
        return String(start[...end])
    }
}
