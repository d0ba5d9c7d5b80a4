import GeoIndex
import TestSupport
import Testing

/// Law 5: ids stay, and a write moves clusters only along chains of cells.
struct ClusterStabilityTests {
    @Test(
        "law 5: a write changes only clusters along chains of cells from where it was",
        arguments: Shape.allCases, LawInput.radii)
    func writesStayLocal(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        guard input.positions.count > 1 else { return }
        var random = SeededRandom(seed: radius)
        for zoom in input.zooms {
            // One object goes to where another one is, or a little beside it.
            let moved = Int.random(in: 0..<input.positions.count, using: &random)
            var positions = input.positions
            let other = positions[Int.random(in: 0..<positions.count, using: &random)]
            positions[moved] = RoundedPosition(
                lonE7: other.lonE7, latE7: min(900_000_000, other.latE7 + 700))
            let layer = LayerIndex(input.snapshot)
            try layer.apply([.put("\(moved)", positions[moved])])
            let after = layer.current.clusters(in: .world, options: zoom.options)

            let cells = zoom.twin.cells(of: input.places)
            let later = zoom.twin.cells(of: positions.map { WorldPoint($0) })
            let touched = [input.places[moved], WorldPoint(positions[moved])].map {
                ClusterTwin.key(of: $0) >> UInt64(64 - 2 * zoom.twin.level)
            }
            let chained = Self.chained(from: Set(touched), among: cells + later, zoom.twin)
            let base = UInt64(1) << UInt64(2 * zoom.twin.level)
            for id in Self.changed(zoom.found, after) {
                #expect(chained.contains(id - base), "zoom \(zoom.zoom), cluster \(id)")
            }
        }
    }

    /// Ids of clusters that are in one answer only, or there with another count.
    static func changed(_ before: ClusterSet, _ after: ClusterSet) -> [UInt64] {
        func counts(_ set: ClusterSet) -> [UInt64: Int] {
            Dictionary(uniqueKeysWithValues: zip(set.ids, set.counts))
        }
        let (old, new) = (counts(before), counts(after))
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
    }

    /// All cells that hang together with some cells by steps from one to the next in reach.
    static func chained(
        from start: Set<UInt64>, among cells: [ClusterTwin.Cell], _ twin: ClusterTwin
    ) -> Set<UInt64> {
        var chained = start
        var edge = cells.filter { start.contains($0.key) }
        var rest = cells.filter { !start.contains($0.key) }
        while let cell = edge.popLast() {
            let reached = rest.filter { twin.reaches($0, cell) }
            if reached.isEmpty { continue }
            rest.removeAll { twin.reaches($0, cell) }
            edge += reached
            chained.formUnion(reached.map(\.key))
        }
        return chained
    }

    @Test("law 5: the order in which objects came plays no part", arguments: Shape.allCases)
    func restartChangesNothing(shape: Shape) throws {
        let input = try LawInput.of(shape, radius: 40)
        var builder = BulkBuilder()
        for number in input.positions.indices.reversed() {
            try builder.add(id: "\(number)", Placement(position: input.positions[number]))
        }
        let snapshot = builder.build()
        for zoom in input.zooms {
            expectEqual(
                snapshot.clusters(in: .world, options: zoom.options), zoom.expected,
                "zoom \(zoom.zoom)")
        }
    }

    @Test(
        "law 5: an id that is gone names nobody, and comes back with its place",
        arguments: Shape.allCases.filter { $0 != .empty })
    func goneIsGone(shape: Shape) throws {
        let input = try LawInput.of(shape, radius: 40)
        var random = SeededRandom(seed: 5)
        for zoom in input.zooms {
            let number = Int.random(in: 0..<zoom.expected.count, using: &random)
            let members = zoom.expected[number].members
            let (id, options) = try #require(
                ClusterID.parse(zoom.expected[number].id, radiusPixels: 40))
            let layer = LayerIndex(input.snapshot)
            try layer.apply(members.map { ObjectEdit(id: "\($0)", placement: nil) })
            #expect(layer.current.cluster(id, options: options) == nil, "zoom \(zoom.zoom)")
            try layer.apply(members.map { .put("\($0)", input.positions[$0]) })
            let back = try #require(layer.current.cluster(id, options: options))
            #expect(back.ids == [id.number])
            #expect(back.counts == [members.count])
        }
    }

    @Test(
        "the id of a cell that is no seed, or is empty, names nobody", arguments: Shape.allCases,
        LawInput.radii)
    func onlySeedsHaveClusters(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        for zoom in input.zooms {
            let seeds = Set(zoom.expected.map(\.id))
            let base = UInt64(1) << UInt64(2 * zoom.twin.level)
            let keys = zoom.twin.cells(of: input.places).map(\.key)
            let beside = keys.map { ($0 ^ 1) }
            for key in keys.prefix(12) + beside.prefix(4) {
                let (id, options) = try #require(
                    ClusterID.parse(base + key, radiusPixels: radius))
                let found = input.snapshot.cluster(id, options: options)
                #expect((found != nil) == seeds.contains(id.number), "zoom \(zoom.zoom)")
            }
        }
    }
}
