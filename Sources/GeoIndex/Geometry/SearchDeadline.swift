import Synchronization

/// The instant at which a long search gives up.
///
/// Whoever sets one asks it afterwards: what a search found that was ended is not whole.
public final class SearchDeadline: Sendable {
    private let end: ContinuousClock.Instant
    private let passed = Atomic(false)

    /// Creates a deadline that is so far away.
    public init(in duration: Duration) { end = .now + duration }

    /// Whether a search was ended by it.
    public var hasEndedSearch: Bool { passed.load(ordering: .relaxed) }

    /// Whether to go on; reads the clock.
    func holds() -> Bool {
        if hasEndedSearch { return false }
        if ContinuousClock.now < end { return true }
        passed.store(true, ordering: .relaxed)
        return false
    }
}

extension SearchDeadline: Hashable {
    /// Whether both are the same deadline.
    public static func == (left: SearchDeadline, right: SearchDeadline) -> Bool { left === right }

    /// Hashes which deadline it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
