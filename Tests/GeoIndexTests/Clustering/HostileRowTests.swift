import GeoIndex
import Testing

/// Rows that outlast any margin: what happens at one end decides the other.
struct HostileRowTests {
    /// One over land, one across ±180°, one that ends at the first row of the world.
    enum Row: String, CaseIterable, Sendable {
        case plain, antimeridian, edge

        var made: HostileRow {
            switch self {
            case .plain: HostileRow(zoom: 14, column: 140_000, row: 86_000)
            case .antimeridian: HostileRow(zoom: 14, column: (1 << 18) - 40, row: 140_000)
            case .edge: HostileRow(zoom: 14, column: 50_000, row: 3)
            }
        }
    }

    @Test(
        "the rows are what they claim: more than 40 cells, decided by the first",
        arguments: Row.allCases)
    func rowsAreChains(row: Row) throws {
        let row = row.made
        #expect(row.spots.count >= 40)
        let twin = ClusterTwin(zoom: row.zoom, radius: row.radius)
        let cells = twin.cells(of: row.positions.map { WorldPoint($0) })
        #expect(cells.count == row.spots.count)
        for (first, second) in zip(cells.indices, cells.indices.dropFirst()) {
            #expect(twin.reaches(cells[first], cells[second]))
            #expect(cells.count { twin.reaches($0, cells[second]) } <= 3, "itself and two others")
        }
        // Every second cell is a seed; without the first spot it is the others.
        #expect(twin.firstSeeds(among: cells) == cells.indices.map { $0 & ~1 })
        let rest = Array(cells.dropFirst())
        #expect(twin.firstSeeds(among: rest) == rest.indices.map { $0 & ~1 })
    }

    @Test(
        "small windows, boxes and tiles along the row name the world's clusters",
        arguments: Row.allCases, [false, true])
    func windowsAlongTheRow(row: Row, isHeadGone: Bool) throws {
        let row = row.made
        let positions = Array(row.positions.dropFirst(isHeadGone ? row.counts[0] : 0))
        let snapshot = try index(of: positions)
        let options = try ClusterOptions(zoom: row.zoom, radiusPixels: row.radius)
        let expected = ClusterTwin.clusters(
            of: positions.map { WorldPoint($0) }, zoom: row.zoom, radius: row.radius)
        expectEqual(snapshot.clusters(in: .world, options: options), expected, "world")
        let cell = UInt64(1) << UInt64(32 - Int(options.level))
        for spot in row.spots {
            let place = WorldPoint(spot)
            for cells in [1, 3, 10, 30] as [UInt64] {
                let half = cells * cell / 2
                let north = UInt64(place.y) > half ? UInt64(place.y) - half : 0
                let window = WorldWindow(
                    west: place.x &- UInt32(half), width: cells * cell, north: UInt32(north),
                    height: cells * cell)
                expectEqual(
                    snapshot.clusters(in: window, options: options),
                    expected.filter { window.contains($0.point) }, "\(cells) cells")
            }
            let box = WorldWindow(
                try BoundingBox(
                    west: spot.lon - 0.0004, south: max(-90, spot.lat - 0.0004),
                    east: spot.lon + 0.0004, north: min(90, spot.lat + 0.0004)))
            expectEqual(
                snapshot.clusters(in: box, options: options),
                expected.filter { box.contains($0.point) }, "box")
            let tile = WorldWindow(
                TileID(containing: try LonLat(lon: spot.lon, lat: spot.lat), zoom: 14))
            expectEqual(
                snapshot.clusters(in: tile, options: options),
                expected.filter { tile.contains($0.point) }, "tile")
        }
    }

    @Test("ids, children and leaves along the row are the world's too", arguments: Row.allCases)
    func membersAlongTheRow(row: Row) throws {
        let row = row.made
        let positions = row.positions
        let snapshot = try index(of: positions)
        let places = positions.map { WorldPoint($0) }
        let expected = ClusterTwin.clusters(of: places, zoom: row.zoom, radius: row.radius)
        let seeds = Set(expected.map(\.id))
        let twin = ClusterTwin(zoom: row.zoom, radius: row.radius)
        for cell in twin.cells(of: places) {
            let number = (1 << UInt64(2 * twin.level)) + cell.key
            let (id, options) = try #require(
                ClusterID.parse(number, radiusPixels: row.radius))
            let found = snapshot.cluster(id, options: options)
            #expect((found != nil) == seeds.contains(number))
            guard let found, let cluster = expected.first(where: { $0.id == number }) else {
                continue
            }
            let leaves = snapshot.leaves(of: found, limit: .max, offset: 0)
            #expect(leaves.map(\.id) == cluster.members.map(String.init).sorted())
        }
    }

    @Test("one write at the head turns all seeds of the row over, at its far end too")
    func headDecidesTail() throws {
        let row = Row.antimeridian.made
        let layer = LayerIndex(try index(of: row.positions))
        let options = try ClusterOptions(zoom: row.zoom, radiusPixels: row.radius)
        let before = layer.current.clusters(in: .world, options: options)
        try layer.apply((0..<row.counts[0]).map { ObjectEdit(id: "\($0)", placement: nil) })
        let after = layer.current.clusters(in: .world, options: options)
        #expect(Set(before.ids).isDisjoint(with: after.ids))
        #expect(before.count + after.count == row.spots.count)
    }
}
