import GeoIndex
import TestSupport
import Testing
import TileRender

@testable import GeoService

struct OccupiedTilesTests {
    /// Objects in clumps, on the equator, at the poles' edges and on both sides of 180°.
    private func index(seed: Int) throws -> LayerIndex {
        var random = SeededRandom(seed: seed)
        let layer = LayerIndex()
        var edits: [ObjectEdit] = []
        let middles = [(13.4, 52.5), (179.99, -18.0), (-179.99, 0.0), (0, 85.05), (20, -85.05)]
        for number in 0..<60 {
            let (lon, lat) = middles[number % middles.count]
            let spread = [0.001, 0.1, 3.0][number % 3]
            var east = lon + random.normal(0, spread)
            if east > 180 { east -= 360 } else if east < -180 { east += 360 }
            let position = try LonLat(
                lon: east, lat: min(max(lat + random.normal(0, spread), -90), 90))
            edits.append(
                ObjectEdit(
                    id: "\(number)",
                    placement: Placement(
                        position: RoundedPosition(position), kind: "k\(number % 2)", content: 1)))
        }
        try layer.apply(edits)
        return layer
    }

    /// All tiles of the area on which something is drawn, asked of every address.
    private func drawn(
        _ area: TileArea, _ snapshot: IndexSnapshot, _ draw: (TileID) throws -> Bool
    ) throws -> Set<UInt64> {
        var found = Set<UInt64>()
        for x in 0..<UInt32(1 << area.zoom) {
            for y in 0..<UInt32(1 << area.zoom) where area.contains(x: x, y: y) {
                let tile = try TileID(zoom: Int(area.zoom), x: Int(x), y: Int(y))
                if try draw(tile) { found.insert(tile.hilbertNumber) }
            }
        }
        return found
    }

    @Test("no tile on which a cluster, a point or heat shows is left out", arguments: 0..<4)
    func nothingIsMissing(seed: Int) throws {
        let snapshot = try index(seed: seed).current
        let boxes = try [
            BoundingBox.world, BoundingBox(west: 170, south: -40, east: -170, north: 10),
            BoundingBox(west: 13, south: 52, east: 14, north: 53),
        ]
        for zoom in UInt8(0)...5 {
            let area = TileArea(boxes[seed % 3], zoom: zoom)
            for (reach, shows) in reaches(zoom) {
                let all = try drawn(area, snapshot) { tile in
                    let margin = UInt64(shows) << UInt64(24 - zoom)
                    let window = WorldWindow(tile).expanded(by: margin)
                    let options = ClusterOptions.possible(zoom: zoom, radiusPixels: 40)
                    return snapshot.clusters(in: window, options: options).count > 0
                }
                let found = try OccupiedTiles.numbers(
                    in: area, of: snapshot, filter: .all, reachPixels: reach, limit: 1_000)
                #expect(found == found.sorted() && Set(found).count == found.count)
                #expect(all.isSubset(of: found), "zoom \(zoom), reach \(reach)")
                #expect(
                    found.allSatisfy { number in
                        TileID(hilbertNumber: number).map { area.contains(x: $0.x, y: $0.y) }
                            ?? false
                    })
            }
        }
    }

    /// How far a picture reaches past its cluster's point, which lies in a cell of 16 pixels with an
    /// object, and so how far past the object.
    private func reaches(_ zoom: UInt8) -> [(reach: Int, shows: Int)] {
        [1, 24, 64].map { ($0 + 16, $0) }
    }

    @Test("few tiles are visited in vain: those that an object's surroundings touch")
    func fewInVain() throws {
        let layer = LayerIndex()
        // In the middle of its tile at every zoom that is looked at.
        let middle = WorldPoint(x: 0x8b00_0000 | 1 << 21, y: 0x5b00_0000 | 1 << 21)
        let position = try LonLat(
            lon: Double(middle.x) / 0x1p32 * 360 - 180, lat: WorldPoint.lat(ofRow: Double(middle.y))
        )
        try layer.apply([
            ObjectEdit(
                id: "a",
                placement: Placement(position: RoundedPosition(position), kind: nil, content: 1))
        ])
        let found = try OccupiedTiles.numbers(
            in: TileArea(.world, zoom: 10), of: layer.current, filter: .all, reachPixels: 40,
            limit: 10)
        #expect(found == [TileID(containing: position, zoom: 10).hilbertNumber])
    }

    @Test("a filter leaves out the tiles of what it does not keep")
    func filter() throws {
        let snapshot = try index(seed: 7).current
        func count(_ filter: EntryFilter) throws -> Int {
            try OccupiedTiles.numbers(
                in: TileArea(.world, zoom: 9), of: snapshot, filter: filter, reachPixels: 40,
                limit: 1_000
            ).count
        }
        let all = try count(.all)
        let some = try count(EntryFilter(kinds: ["k1"]))
        #expect(0 < some && some < all)
        #expect(try count(EntryFilter(kinds: ["none"])) == 0)
    }

    @Test("more tiles than the limit are refused")
    func limit() throws {
        let snapshot = try index(seed: 1).current
        let area = TileArea(.world, zoom: 12)
        let all = try OccupiedTiles.numbers(
            in: area, of: snapshot, filter: .all, reachPixels: 40, limit: 1_000)
        #expect(
            try OccupiedTiles.numbers(
                in: area, of: snapshot, filter: .all, reachPixels: 40, limit: all.count) == all)
        #expect(throws: TooManyTiles.self) {
            try OccupiedTiles.numbers(
                in: area, of: snapshot, filter: .all, reachPixels: 40, limit: all.count - 1)
        }
    }

    @Test(
        "a box is as many tiles as it touches",
        arguments: [
            (BoundingBox.world, 3, 64),
            (try? BoundingBox(west: 1, south: 1, east: 1, north: 1), 5, 1),
            (try? BoundingBox(west: 179, south: -1, east: -179, north: 1), 2, 4),
            // The east and the south edge are out.
            (try? BoundingBox(west: 0, south: 0, east: 90, north: 66), 2, 1),
            (try? BoundingBox(west: -10, south: -10, east: 350, north: 10), 3, 16),
        ] as [(BoundingBox?, Int, Int)])
    func area(box: BoundingBox?, zoom: Int, count: Int) throws {
        #expect(TileArea(try #require(box), zoom: UInt8(zoom)).count == UInt64(count))
    }
}
