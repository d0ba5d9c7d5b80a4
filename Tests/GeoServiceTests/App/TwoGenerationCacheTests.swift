import Testing

@testable import GeoService

struct TwoGenerationCacheTests {
    @Test("what is asked for again and again stays, what is not goes")
    func keepsWhatIsUsed() {
        let cache = TwoGenerationCache<Int, Int>(limitBytes: 1_000)
        cache.keep(0, as: 0, bytes: 100)
        for key in 1...1_000 {
            cache.keep(key, as: key, bytes: 100)
            #expect(cache.find(0) == 0)
        }
        #expect(cache.find(1) == nil)
        #expect(cache.find(1_000) == 1_000)
    }

    @Test("a working set larger than the limit is not kept whole, however it is asked for")
    func staysWithinItsLimit() {
        let cache = TwoGenerationCache<Int, Int>(limitBytes: 1_000)
        for round in 0..<5 {
            for key in 0..<100 {
                _ = cache.value(key, bytes: 50) { round }
            }
        }
        // 1,000 bytes are 20 entries; a turn lets at most one more half in.
        let kept = (0..<100).filter { cache.find($0) != nil }
        #expect(kept.count <= 31)
    }

    @Test("an entry that grew counts with what it takes now")
    func countsTheNewSize() {
        let cache = TwoGenerationCache<Int, Int>(limitBytes: 1_000)
        for key in 0..<10 {
            _ = cache.value(key, bytes: 1) { key }
            cache.keep(key, as: key, bytes: 400)
        }
        #expect((0..<10).filter { cache.find($0) != nil }.count <= 4)
    }
}
