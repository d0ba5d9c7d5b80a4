import TestSupport
import Testing

@testable import GeoIndex

struct FreeUnitsTests {
    @Test(
        "the first run that is long enough is taken, as by one who looks at every unit",
        arguments: 0..<6)
    func firstFit(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var units = FreeUnits()
        var twin = [Bool](repeating: true, count: FreeUnits.count)
        var taken: [Range<Int>] = []
        // Short runs break it up; long ones cross the words of the bits and fill them.
        let longest = [3, 64, 70, 129, 1_000, 4_000][seed]
        for _ in 0..<400 {
            if Bool.random(using: &random) || taken.isEmpty {
                let length = Int.random(in: 1...longest, using: &random)
                let start = units.take(length)
                #expect(start == FreeUnitsTests.firstRun(of: length, in: twin))
                guard let start else { continue }
                for unit in start..<(start + length) { twin[unit] = false }
                taken.append(start..<(start + length))
            } else {
                let range = taken.remove(at: Int.random(in: taken.indices, using: &random))
                units.give(range.lowerBound, range.count)
                for unit in range { twin[unit] = true }
            }
        }
        #expect(units.freeCount == twin.count(where: \.self))
        for range in taken { units.give(range.lowerBound, range.count) }
        #expect(units.isEmpty)
        #expect(units.take(FreeUnits.count) == 0)
        #expect(units.take(1) == nil)
    }

    private static func firstRun(of length: Int, in free: [Bool]) -> Int? {
        var run = 0
        for (unit, isFree) in free.enumerated() {
            run = isFree ? run + 1 : 0
            if run == length { return unit + 1 - length }
        }
        return nil
    }
}
