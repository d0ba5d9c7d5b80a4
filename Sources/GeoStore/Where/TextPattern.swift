/// A regular expression, matched under the limits of `$regex`.
package struct TextPattern: Sendable {
    private let pattern: WherePattern

    /// Compiles a pattern; nil when it is none, or longer than 1,000 bytes.
    package init?(_ text: String) {
        guard let pattern = try? WherePattern(text, options: "", at: "pattern") else { return nil }
        self.pattern = pattern
    }

    /// Whether the pattern is somewhere in a text; false when to find that out takes too long.
    package func matches(_ text: String) -> Bool {
        (try? pattern.matches(text)) ?? false
    }
}
