import Glibc
import TestSupport
import Testing

@testable import GeoIndex

struct TimeDecayTests {
    @Test("halves with every half-life, to the last bit", arguments: [1, 7, 360, 52_560_000])
    func halves(halfLife: Int64) {
        let now: Int64 = 1_790_000_000_000
        let decay = TimeDecay(halfLifeMinutes: halfLife, nowMilliseconds: now)
        for halvings in 0..<20 {
            let time = now - Int64(halvings) * halfLife * 60_000
            #expect(decay.faded(1 << 20, time: time) == UInt32(1 << 20) >> UInt32(halvings))
        }
        #expect(decay.faded(.max, time: now - 32 * halfLife * 60_000) == 1)
        #expect(decay.faded(.max, time: now - 33 * halfLife * 60_000) == 0)
        #expect(decay.faded(.max, time: .min) == 0)
    }

    @Test("follows the exponential closely and never rises with age", arguments: 0..<16)
    func curve(seed: Int) {
        var random = SeededGenerator(seed: seed)
        let halfLife = Int64.random(in: 1...200_000, using: &random)
        let now = Int64.random(in: -1 << 40...1 << 42, using: &random)
        let decay = TimeDecay(halfLifeMinutes: halfLife, nowMilliseconds: now)
        var last = UInt32.max
        for age in stride(from: 0, to: 20 * halfLife, by: Int(max(1, halfLife / 50))) {
            let minute = (Double(now) / 60_000).rounded(.down)
            let time = Int64((minute - Double(age)) * 60_000)
            let faded = decay.faded(1 << 30, time: time)
            let exact = 0x1p30 * exp2(-Double(age) / Double(halfLife))
            #expect(Double(faded) >= exact - 1)
            #expect(Double(faded) <= exact * 1.000_171 + 1)
            #expect(faded <= last)
            last = faded
        }
    }

    @Test("moves in whole minutes and takes the future for now")
    func minutes() {
        let minute: Int64 = 60_000
        for start: Int64 in [-3 * minute, 0, 29_000_000 * minute] {
            let decay = TimeDecay(halfLifeMinutes: 1, nowMilliseconds: start + 30_000)
            #expect(decay.faded(256, time: start) == 256)
            #expect(decay.faded(256, time: start + minute - 1) == 256)
            #expect(decay.faded(256, time: start - 1) == 128)
            #expect(decay.faded(256, time: start - minute) == 128)
            #expect(decay.faded(256, time: start - minute - 1) == 64)
            #expect(decay.faded(256, time: .max) == 256)
            let later = TimeDecay(halfLifeMinutes: 1, nowMilliseconds: start + minute - 1)
            #expect(later == decay)
            #expect(TimeDecay(halfLifeMinutes: 1, nowMilliseconds: start + minute) != decay)
        }
    }
}
