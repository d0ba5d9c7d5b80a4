import Glibc

/// Milliseconds since some moment in the past, never set back; steps of a few milliseconds.
///
/// Deadlines need no more, and the coarse clock costs a tenth of the exact one.
enum MonotonicClock {
    static var milliseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        // Both are positive, and milliseconds since boot fit for half a billion years.
        return UInt64(time.tv_sec) &* 1_000 &+ UInt64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; negative durations are zero.
    var wholeMilliseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let fraction = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        // A limit of more than a century is the same as none.
        return UInt64(min(seconds, 3_155_760_000)) * 1_000 + UInt64(fraction)
    }
}
