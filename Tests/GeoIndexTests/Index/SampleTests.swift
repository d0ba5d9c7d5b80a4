import GeoIndex
import TestSupport
import Testing

/// Samples that are spread evenly along the order of an index.
struct SampleTests {
    private func snapshot(_ count: Int) throws -> IndexSnapshot {
        var random = SeededGenerator(seed: 5)
        var builder = BulkBuilder(expected: count)
        for number in 0..<count {
            let place = try LonLat(
                lon: .random(in: -180...180, using: &random),
                lat: .random(in: -85...85, using: &random))
            // Some ids are too long to be packed.
            let id = number % 3 == 0 ? "an-id-that-is-long-\(number)" : "o\(number)"
            try builder.add(id: id, Placement(position: RoundedPosition(place)))
        }
        return builder.build()
    }

    @Test("a sample has as many objects as asked for, each once", arguments: [0, 1, 2, 255, 3_000])
    func count(_ count: Int) throws {
        let snapshot = try snapshot(count)
        for wanted in [0, 1, 7, 256, 5_000] {
            let ids = snapshot.sampleIDs(count: wanted)
            #expect(ids.count == min(wanted, count))
            #expect(Set(ids).count == ids.count)
            #expect(snapshot.samplePoints(count: wanted).count == ids.count)
        }
        let all = Set((0..<count).map { $0 % 3 == 0 ? "an-id-that-is-long-\($0)" : "o\($0)" })
        #expect(Set(snapshot.sampleIDs(count: count)) == all)
    }
}
