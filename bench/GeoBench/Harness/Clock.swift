import Glibc

/// The two clocks of the benchmarks, in nanoseconds.
///
/// Wall time is what a caller waits. The thread's processor time leaves out what other programs
/// took meanwhile, so it is the figure to compare on a machine that is shared.
enum Clock {
    /// Monotonic wall time.
    static var wall: UInt64 { read(CLOCK_MONOTONIC) }
    /// Processor time of the calling thread.
    static var processor: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        // Neither clock goes below zero or past 584 years.
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
