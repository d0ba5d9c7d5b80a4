/// What one client may cost, with the defaults of the contract.
///
/// Each size that is passed is answered with its own status; each time that is passed ends the
/// connection.
package struct Limits: Sendable {
    /// The request target, in bytes; past it 414.
    package var targetBytes = 8 << 10
    /// Request line and header fields together, in bytes; past it 431.
    package var headBytes = 16 << 10
    /// A body that a route collects without a limit of its own, in bytes; past it 413.
    package var bodyBytes = 1 << 20
    /// All bodies together that are collected and not answered yet, in bytes of memory beyond
    /// the first 128 kB of each; past it 503.
    package var collectedBytes = 256 << 20
    /// A body that no handler asked for is read and dropped up to this many bytes, so that the
    /// connection can be used again; a longer one ends the connection.
    package var unwantedBodyBytes = 64 << 10
    /// The time a client has for request line and headers, from the first of them on.
    package var headDeadline: Duration = .seconds(10)
    /// The time a body may take beyond what ``bodyBytesPerSecond`` allows.
    package var bodyGrace: Duration = .seconds(10)
    /// The slowest that a body may come in, in bytes a second, on average.
    package var bodyBytesPerSecond = 1_000
    /// The time that an answer may take to be read, beyond what ``replyBytesPerSecond`` allows.
    package var replyGrace: Duration = .seconds(30)
    /// The slowest that a client may read an answer, in bytes a second, on average.
    package var replyBytesPerSecond = 1_000
    /// The time an unused connection is kept open.
    package var idleTimeout: Duration = .seconds(60)
    /// The time that a refused client's bytes are still read and dropped, so that it sees the answer.
    package var lingering: Duration = .seconds(2)
    /// Connections at once; more wait in the kernel's queue.
    package var connections = 10_000
    /// Connections at once from one address; one more is answered 503. Addresses of trusted
    /// proxies are exempt, and loopback addresses unless ``countsLoopback``.
    package var connectionsPerAddress = 512
    /// Whether ``connectionsPerAddress`` holds for loopback too.
    package var countsLoopback = false

    /// The limits of the contract.
    package init() {}

    /// The library's memory for one connection: the head at its largest, its index, and an answer's head.
    var connectionMemoryBytes: Int { headBytes + max(8 << 10, headBytes / 2) }
}
