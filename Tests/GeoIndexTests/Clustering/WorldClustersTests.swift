import TestSupport
import Testing

@testable import GeoIndex

/// A world that follows the writes is the one that would be resolved anew.
struct WorldClustersTests {
    @Test(
        "after every write the world is that of a fresh index", arguments: [1, 2, 3, 4], [3, 4, 5])
    func repair(seed: Int, zoom: Int) throws {
        let layer = LayerIndex()
        var world = EditedWorld(shape: seed == 4 ? .city : .world, seed: seed)
        var random = SeededRandom(seed: seed)
        try layer.apply(world.batch(of: 2_500, using: &random))
        let options = try ClusterOptions(zoom: zoom)
        let question = ClusterQuestion(options, seed == 3 ? EntryFilter(since: 0) : .all)
        var kept = WorldClusters(layer.current, question)
        for step in 0..<60 {
            try layer.apply(world.batch(of: step % 10 == 9 ? 12 : 1, using: &random))
            if step % 3 == 1 { continue }
            let snapshot = layer.current
            let changes = try #require(
                snapshot.memo.log.changes.places(
                    in: .world, after: kept.generation, through: snapshot.generation))
            kept.update(to: snapshot, changes)
            var found = ClusterSet(options: options)
            found.reserve(kept.units, in: .world)
            for unit in kept.units { found.append(unit, in: .world) }
            let expected = snapshot.resolveClusters(
                in: .world, options: options, filter: question.filter)
            #expect(found.ids == expected.ids, "step \(step)")
            #expect(found.counts == expected.counts, "step \(step)")
            #expect(found.points == expected.points, "step \(step)")
            guard found.ids == expected.ids else { return }
            for index in 0..<found.count {
                #expect(found.cells(of: index) == expected.cells(of: index), "step \(step)")
            }
            #expect(kept.units.allSatisfy { $0.answers(question.filter, for: snapshot) })
        }
    }

    @Test("worlds keep to their bound, and the one that was not used for longest goes")
    func bound() throws {
        let snapshot = try index(of: Shape.world.positions(count: 2_000, seed: 7))
        let questions = try [2, 3, 4].map { ClusterQuestion(try ClusterOptions(zoom: $0), .all) }
        let worlds = questions.map { WorldClusters(snapshot, $0) }
        let memo = WorldMemo(mostBytes: worlds[1].bytes + worlds[2].bytes)
        for world in worlds { memo.keep(world) }
        #expect(memo.bytes <= memo.mostBytes)
        #expect(memo.take(questions[0]) == nil)
        #expect(memo.take(questions[2]) != nil && memo.take(questions[2]) == nil)
        memo.keep(worlds[1])
        #expect(memo.bytes == worlds[1].bytes)
        memo.removeAll()
        #expect(memo.bytes == 0)
    }
}
