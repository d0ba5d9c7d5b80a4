/// Whether a router is worth asking: after some failures in a row it is asked only now and then,
/// so that a router that is down does not hold every answer up.
///
/// A state machine without a clock of its own: times are passed in.
struct RouterHealth {
    /// Failures in a row after which it counts as down.
    static let failuresUntilDown = 3
    /// How long nobody asks then; one request tries afterwards.
    static let pauseMilliseconds: UInt64 = 2_000

    private var failures = 0
    private var pauseEnd: UInt64 = 0

    /// Whether it answered last time, or has not been asked yet.
    var isWell: Bool { failures == 0 }

    /// Whether to ask it now.
    mutating func mayAsk(at now: UInt64) -> Bool {
        guard failures >= RouterHealth.failuresUntilDown else { return true }
        guard now >= pauseEnd else { return false }
        // The others wait for what becomes of this one.
        pauseEnd = now + RouterHealth.pauseMilliseconds
        return true
    }

    mutating func succeeded() { failures = 0 }

    mutating func failed(at now: UInt64) {
        failures = min(failures + 1, RouterHealth.failuresUntilDown)
        pauseEnd = now + RouterHealth.pauseMilliseconds
    }
}
