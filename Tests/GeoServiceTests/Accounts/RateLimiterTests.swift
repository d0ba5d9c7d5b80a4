import TestSupport
import Testing

@testable import GeoService

@Suite("Accounts: rate limits")
struct RateLimiterTests {
    /// A bucket that is filled and emptied drop by drop.
    private struct Twin {
        var drops: Int
        var last: Int

        mutating func take(_ rate: TokenBucket.Rate, at time: Int) -> Bool {
            let interval = Int(rate.intervalMilliseconds)
            drops = min(drops + time - last, rate.burst * interval)
            last = time
            guard drops >= interval else { return false }
            drops -= interval
            return true
        }
    }

    @Test("a bucket lets through what its twin does, and says how long to wait", arguments: 0..<64)
    func twin(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rate = TokenBucket.Rate(perMinute: Int.random(in: 1...200, using: &random))
        var bucket = TokenBucket()
        var time = Int.random(in: 1_000_000...2_000_000, using: &random)
        var twin = Twin(drops: rate.burst * Int(rate.intervalMilliseconds), last: time)
        for _ in 0..<500 {
            time += Int.random(in: 0...Int(rate.intervalMilliseconds * 2), using: &random)
            let wait = bucket.take(rate, now: UInt64(time))
            #expect((wait == nil) == twin.take(rate, at: time))
            guard let wait else { continue }
            var later = bucket
            #expect(later.take(rate, now: UInt64(time) + wait - 1) != nil)
            later = bucket
            #expect(later.take(rate, now: UInt64(time) + wait) == nil)
        }
    }

    @Test("what is given back can be taken again")
    func givenBack() {
        let limiter = RateLimiter<String>(TokenBucket.Rate(perMinute: 2))
        for _ in 0..<50 {
            #expect(limiter.take("a", now: 1000) == nil)
            limiter.giveBack("a")
        }
        #expect(limiter.take("a", now: 1000) == nil)
        #expect(limiter.take("a", now: 1000) == nil)
        #expect(limiter.take("a", now: 1000) != nil)
        #expect(limiter.take("b", now: 1000) == nil)
    }

    @Test("however many names there are, few are remembered")
    func bounded() {
        let limiter = RateLimiter<Int>(TokenBucket.Rate(perMinute: 1), capacity: 100)
        for name in 0..<10_000 {
            #expect(limiter.take(name, now: 5000 + UInt64(name / 50)) == nil)
            #expect(limiter.count <= 100)
        }
        // Full buckets go first: those that count stay as long as there is room.
        let other = RateLimiter<Int>(TokenBucket.Rate(perMinute: 1), capacity: 100)
        #expect(other.take(-1, now: 100_000) == nil)
        for name in 0..<99 { _ = other.take(name, now: 30_000) }
        #expect(other.take(1000, now: 100_000) == nil)
        #expect(other.take(-1, now: 100_000) != nil)
    }
}
