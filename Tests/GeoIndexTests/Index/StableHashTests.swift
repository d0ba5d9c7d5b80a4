import GeoIndex
import TestSupport
import Testing

@Suite("The stable hash")
struct StableHashTests {
    private func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
        var hash = StableHash(seed: 3)
        hash.combine(bytes: bytes)
        return hash.value
    }

    @Test("of bytes does not depend on how they are kept", arguments: Array(0...40) + [1_000])
    func forms(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        // A lazy map has no storage: its bytes are taken one by one.
        #expect(hash(bytes) == hash(bytes.lazy.map { $0 }))
        #expect(hash(bytes) == hash(([0] + bytes).dropFirst()))
        if count > 0 { #expect(hash(bytes) != hash(bytes.dropLast())) }
    }

    @Test("is the same for ever")
    func golden() {
        #expect(hash(Array("geoservice".utf8)) == 0xcee4944993542b9b)
    }
}
