/// How much the answer to one request may still take, with all calls of a batch together.
struct AnswerBudget {
    /// How long one answer may become; a query that asks for more is refused.
    static let greatestBytes = 64 << 20
    /// How long the reads of one request may take.
    static let readLimit = Duration.seconds(10)
    /// How many pointers one request may follow: each is some µs when its object is read, and a
    /// part of one when it was read before.
    static let greatestPointers = 1_000_000
    /// How many objects one request may read for pointers.
    static let greatestIncluded = 50_000

    private var rest = greatestBytes
    private var pointers = greatestPointers
    private var included = greatestIncluded

    /// Asks whether as many bytes are left. When they are not, nothing is left for other calls
    /// either, so that a batch of calls that ask for too much ends soon.
    ///
    /// - Throws: ``ParseError`` 155 when they are not, and once they were not.
    mutating func check(_ bytes: Int = 0) throws(ParseError) {
        guard rest > 0, bytes <= rest else {
            throw exceeded("the answer is larger than \(Self.greatestBytes) bytes")
        }
    }

    /// Takes the bytes of one answer.
    ///
    /// - Throws: As ``check(_:)``.
    mutating func take(_ bytes: Int) throws(ParseError) {
        try check(bytes)
        rest -= bytes
    }

    /// Counts pointers that are followed.
    ///
    /// - Throws: ``ParseError`` 155 when they are too many; then nothing else is left either.
    mutating func follow(pointers count: Int) throws(ParseError) {
        guard rest > 0, count <= pointers else {
            throw exceeded("include follows more than \(Self.greatestPointers) pointers")
        }
        pointers -= count
    }

    /// Counts objects that are read because pointers lead to them.
    ///
    /// - Throws: As ``follow(pointers:)``.
    mutating func read(included count: Int) throws(ParseError) {
        guard rest > 0, count <= included else {
            throw exceeded("include reads more than \(Self.greatestIncluded) objects")
        }
        included -= count
    }

    /// Leaves nothing of any kind.
    private mutating func exceeded(_ what: String) -> ParseError {
        rest = 0
        return ParseError(.requestLimitExceeded, "\(what): ask for fewer objects")
    }
}
