import Synchronization

/// A token bucket: `burst` at once, then one each `interval`.
struct TokenBucket: Hashable, Sendable {
    /// How often something may be done.
    struct Rate: Hashable, Sendable {
        /// How many at once, at least 1.
        let burst: Int
        /// How long one more takes, in milliseconds, at least 1.
        let intervalMilliseconds: UInt64

        /// So many in a minute, and all of them at once when nothing was done before.
        init(perMinute: Int) {
            burst = perMinute
            intervalMilliseconds = max(60_000 / UInt64(perMinute), 1)
        }
    }

    /// When the bucket is full again: all that is to be known of it (the generic cell rate
    /// algorithm, ITU-T I.371).
    private(set) var fullAt: UInt64 = 0

    /// Takes one token; gives for how many milliseconds to wait when there is none.
    mutating func take(_ rate: Rate, now: UInt64) -> UInt64? {
        let before = max(fullAt, now)
        // At most a minute, or 100,000 times a millisecond: far from the end of 64 bits.
        let capacity = rate.intervalMilliseconds &* UInt64(rate.burst)
        let after = before &+ rate.intervalMilliseconds
        guard after <= now &+ capacity else { return after &- (now &+ capacity) }
        fullAt = after
        return nil
    }

    /// Gives back the token that was taken last.
    mutating func giveBack(_ rate: Rate) {
        fullAt = fullAt > rate.intervalMilliseconds ? fullAt &- rate.intervalMilliseconds : 0
    }
}

/// Token buckets by name, as many as a bound allows.
///
/// When the table is full, buckets that are full again go; when none is, those that would be full
/// next. Whoever fills the table with names has his own address counted in another one.
final class RateLimiter<Name: Hashable & Sendable>: Sendable {
    let rate: TokenBucket.Rate
    private let capacity: Int
    private let buckets = Mutex<[Name: TokenBucket]>([:])

    /// - Parameter capacity: How many names are remembered at most.
    init(_ rate: TokenBucket.Rate, capacity: Int = 20_000) {
        self.rate = rate
        self.capacity = capacity
    }

    /// Takes one token of a name; gives for how many milliseconds to wait when there is none.
    ///
    /// - Complexity: O(1), but O(names) when the table is full, which frees a quarter of it.
    func take(_ name: Name, now: UInt64) -> UInt64? {
        buckets.withLock { buckets in
            if buckets[name] == nil, buckets.count >= capacity {
                Self.makeRoom(in: &buckets, capacity: capacity, now: now)
            }
            return buckets[name, default: TokenBucket()].take(rate, now: now)
        }
    }

    /// Gives the last token of a name back.
    func giveBack(_ name: Name) {
        buckets.withLock { $0[name]?.giveBack(rate) }
    }

    /// How many names are remembered.
    var count: Int { buckets.withLock { $0.count } }

    private static func makeRoom(
        in buckets: inout [Name: TokenBucket], capacity: Int, now: UInt64
    ) {
        buckets = buckets.filter { $0.value.fullAt > now }
        guard buckets.count > capacity / 4 * 3 else { return }
        let bound = buckets.values.map(\.fullAt).sorted()[buckets.count / 4]
        buckets = buckets.filter { $0.value.fullAt > bound }
    }
}
