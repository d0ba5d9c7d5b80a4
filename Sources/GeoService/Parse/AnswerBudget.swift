/// How many bytes the answer to one request may still take, with all calls of a batch together.
struct AnswerBudget {
    /// How long one answer may become; a query that asks for more is refused.
    static let greatestBytes = 64 << 20
    /// How long the reads of one request may take.
    static let readLimit = Duration.seconds(10)

    private var rest = greatestBytes

    /// Asks whether as many bytes are left. When they are not, nothing is left for other calls
    /// either, so that a batch of calls that ask for too much ends soon.
    ///
    /// - Throws: ``ParseError`` 155 when they are not, and once they were not.
    mutating func check(_ bytes: Int = 0) throws(ParseError) {
        guard rest > 0, bytes <= rest else {
            rest = 0
            throw ParseError(
                .requestLimitExceeded,
                "the answer is larger than \(Self.greatestBytes) bytes: ask for fewer objects")
        }
    }

    /// Takes the bytes of one answer.
    ///
    /// - Throws: As ``check(_:)``.
    mutating func take(_ bytes: Int) throws(ParseError) {
        try check(bytes)
        rest -= bytes
    }
}
