import GeoIndex
import TestSupport
import Testing

/// Pages of very many members, with ids of every sort.
struct LeafSelectionTests {
    /// How the ids of a layer may look.
    enum IDs: String, CaseIterable, Sendable {
        case numbers, random, long, alike, mixed

        func id(_ number: Int, using random: inout SeededRandom) -> String {
            let symbols = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
            func text(_ length: Int) -> String {
                String((0..<length).compactMap { _ in symbols.randomElement(using: &random) })
            }
            switch self {
            case .numbers: return "\(number)"
            case .random: return text(10)
            case .long: return text(24)
            // All start with the same ten symbols and more.
            case .alike: return "same-prefix-\(number)"
            case .mixed: return number % 3 == 0 ? text(16) : number % 3 == 1 ? text(4) : "\(number)"
            }
        }
    }

    @Test(
        "pages of many members join to all of them by id, filtered or not",
        arguments: IDs.allCases, [false, true])
    func pages(ids: IDs, isFiltered: Bool) throws {
        var random = SeededRandom(seed: 4)
        var places: [String: RoundedPosition] = [:]
        var builder = BulkBuilder()
        var expected: [String] = []
        for number in 0..<20_000 {
            let id = ids.id(number, using: &random)
            guard places[id] == nil else { continue }
            let position = RoundedPosition(
                lonE7: .random(in: 0...3_000, using: &random),
                latE7: .random(in: 0...3_000, using: &random))
            places[id] = position
            let kind = ["a", "b"].randomElement(using: &random)
            try builder.add(id: id, Placement(position: position, kind: kind))
            if !isFiltered || kind == "a" { expected.append(id) }
        }
        expected.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let snapshot = builder.build()
        let filter = isFiltered ? EntryFilter(kinds: ["a"]) : .all
        let set = snapshot.clusters(
            in: .world, options: try ClusterOptions(zoom: 1), filter: filter)
        try #require(set.counts == [expected.count])
        func page(_ limit: Int, _ offset: Int) -> [PlacedObject] {
            snapshot.leaves(of: set, limit: limit, offset: offset, filter: filter)
        }
        #expect(page(.max, 0).map(\.id) == expected)
        for _ in 0..<20 {
            let limit = Int.random(in: 1...300, using: &random)
            let offset = Int.random(in: 0..<expected.count, using: &random)
            let found = page(limit, offset)
            #expect(
                found.map(\.id) == Array(expected.dropFirst(offset).prefix(limit)),
                "\(limit) from \(offset) on")
            #expect(found.allSatisfy { places[$0.id] == $0.position })
        }
        #expect(page(10, expected.count - 3).map(\.id) == expected.suffix(3))
        #expect(page(10, expected.count).isEmpty && page(10, .max).isEmpty && page(0, 5).isEmpty)
        #expect(page(1, 0).map(\.id) == [expected[0]])
    }

    @Test("a sample that misleads costs time, not right answers", arguments: [9, 10, 11])
    func misleadingSample(step: Int) throws {
        // Every tenth member along the Z-curve is one of the sample, and has an id before all
        // others: with a step of ten the sample knows of no others.
        let count = 20_480
        var builder = BulkBuilder()
        var expected: [String] = []
        for number in 0..<count {
            let id = (number % step == 0 ? "A" : "Z") + "\(100_000 + number * 7 % count)"
            try builder.add(
                id: id, Placement(position: RoundedPosition(lonE7: Int32(number) * 40, latE7: 1)))
            expected.append(id)
        }
        expected.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let snapshot = builder.build()
        let set = snapshot.clusters(in: .world, options: try ClusterOptions(zoom: 1))
        try #require(set.counts == [count])
        for offset in [0, 100, 2_040, 2_048, 2_060, 10_000, 20_000, 20_470] {
            #expect(
                snapshot.leaves(of: set, limit: 10, offset: offset).map(\.id)
                    == Array(expected[offset..<(offset + 10)]), "from \(offset) on")
        }
    }
}
