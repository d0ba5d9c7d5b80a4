import GeoIndex
import TestSupport
import Testing

/// Buckets against sorting every object into its cell.
struct GridBucketTests {
    static let grids: [AggregateGrid] = [
        .geohash(precision: 1), .geohash(precision: 4), .geohash(precision: 6),
        .geohash(precision: 12), .geotile(zoom: 0), .geotile(zoom: 3), .geotile(zoom: 11),
        .geotile(zoom: 16), .geotile(zoom: 22),
    ]

    static let boxes: [BoundingBox?] = [
        nil, try? BoundingBox(west: 13.35, south: 52.45, east: 13.42, north: 52.51),
        try? BoundingBox(west: 179.8, south: -20, east: -179.7, north: -16.9),
        try? BoundingBox(west: -180, south: -90, east: 180, north: 90),
    ]

    private static func key(_ grid: AggregateGrid, _ position: RoundedPosition) throws -> String {
        switch grid {
        case .geohash(let precision): return Geohash(position, precision: precision).text
        case .geotile(let zoom):
            let tile = TileID(
                containing: try LonLat(lon: position.lon, lat: position.lat), zoom: zoom)
            return "\(zoom)/\(tile.x)/\(tile.y)"
        }
    }

    @Test(
        "buckets count what lies in their cells", arguments: Shape.allCases, grids.indices)
    func twin(shape: Shape, number: Int) throws {
        let grid = Self.grids[number]
        let placements = ClusterFilterTests.placements(shape, count: 900, seed: number)
        let snapshot = try index(of: placements)
        for (filterNumber, entry) in ClusterFilterTests.filters.enumerated() {
            let box = Self.boxes[(number + filterNumber) % Self.boxes.count]
            var expected: [String: [RoundedPosition]] = [:]
            for placement in placements where entry.1(placement) {
                let place = placement.position
                if let box {
                    let edges = AreaTests.Edges(
                        west: box.west, south: box.south, east: box.east, north: box.north)
                    guard AreaTests.holds(edges, place) else { continue }
                }
                expected[try Self.key(grid, place), default: []].append(place)
            }
            let buckets = try snapshot.buckets(of: grid, in: box, limit: 100_000, filter: entry.0)
            #expect(buckets.map(\.key).count == Set(buckets.map(\.key)).count)
            #expect(
                Dictionary(uniqueKeysWithValues: buckets.map { ($0.key, $0.count) })
                    == expected.mapValues(\.count))
            for bucket in buckets { expectCentroid(bucket, expected[bucket.key] ?? [], grid) }
            if case .geohash = grid { #expect(buckets.map(\.key) == buckets.map(\.key).sorted()) }
            guard buckets.count > 1 else { continue }
            #expect(throws: TooManyBuckets.self) {
                try snapshot.buckets(
                    of: grid, in: box, limit: buckets.count - 1, filter: entry.0)
            }
            #expect(
                try snapshot.buckets(of: grid, in: box, limit: buckets.count, filter: entry.0)
                    == buckets)
        }
    }

    private func expectCentroid(
        _ bucket: GridBucket, _ members: [RoundedPosition], _ grid: AggregateGrid
    ) {
        let count = Double(members.count)
        switch grid {
        case .geohash:
            let lon = members.reduce(0.0) { sum, place in
                sum + Double(place.lonE7 == 1_800_000_000 ? -1_800_000_000 : place.lonE7)
            }
            let lat = members.reduce(0.0) { $0 + Double($1.latE7) }
            #expect(abs(Double(bucket.centroid.lonE7) - lon / count) <= 0.5)
            #expect(abs(Double(bucket.centroid.latE7) - lat / count) <= 0.5)
        case .geotile:
            let points = members.map { WorldPoint($0) }
            let x = points.reduce(0) { $0 + UInt64($1.x) } / UInt64(points.count)
            let y = points.reduce(0) { $0 + UInt64($1.y) } / UInt64(points.count)
            let mean = WorldPoint(bucket.centroid)
            // Half of 1e-7° is up to seven rows at the poles' edges.
            #expect(abs(Int64(mean.x) - Int64(x)) <= 1 && abs(Int64(mean.y) - Int64(y)) <= 8)
        }
    }
}
