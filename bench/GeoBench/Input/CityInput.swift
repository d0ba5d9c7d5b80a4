import GeoIndex
import SyntheticCity
import TestSupport

extension BenchInput {
    /// Our synthetic cities, with questions where their objects are. Seeded: always the same.
    ///
    /// Centres and circles lie within about 300 m of a random object; views are 1024 × 768 pixels
    /// at zooms 3 to 16 around a random object; tiles, at zooms 3 to 14, hold one.
    init(citySize size: String, count: Int) throws {
        let city = try CityGenerator().fill(count)
        var placements: [Placement] = []
        placements.reserveCapacity(count)
        for index in 0..<city.count {
            placements.append(
                Placement(
                    position: RoundedPosition(
                        try LonLat(lon: city.lons[index], lat: city.lats[index])),
                    kind: city.kinds[index].name, weight: city.weights[index],
                    time: city.timesMilliseconds[index], content: UInt64(index)))
        }
        self.init(name: "city", size: size, placements: placements)
        var random = SeededGenerator(seed: 7)
        centres = (0..<10_000).map { _ in placeNearObject(&random) }
        circles = (0..<2_000).map { _ in placeNearObject(&random) }
        views = (0..<1_000).map { _ in randomView(&random) }
        var seen = Set<TileID>()
        while seen.count < min(200, count) {
            let zoom = UInt8.random(in: 3...14, using: &random)
            let point = randomPoint(&random)
            let tile = TileID(QuadCell(level: zoom, containing: point))
            if seen.insert(tile).inserted { tiles.append(tile) }
        }
    }

    private func randomPoint(_ random: inout SeededGenerator) -> WorldPoint {
        WorldPoint(placements[Int.random(in: 0..<count, using: &random)].position)
    }

    /// A place up to 300 m north or south and up to 300 m (on the equator) east or west.
    private func placeNearObject(_ random: inout SeededGenerator) -> RoundedPosition {
        let object = placements[Int.random(in: 0..<count, using: &random)].position
        let reach: Int32 = 27_000
        let lon = Int64(object.lonE7) + Int64(Int32.random(in: -reach...reach, using: &random))
        let lat = Int64(object.latE7) + Int64(Int32.random(in: -reach...reach, using: &random))
        return RoundedPosition(
            lonE7: Int32(min(max(lon, -1_800_000_000), 1_800_000_000)),
            latE7: Int32(min(max(lat, -850_000_000), 850_000_000)))
    }

    private func randomView(_ random: inout SeededGenerator) -> View {
        let zoom = Int.random(in: 3...16, using: &random)
        let middle = randomPoint(&random)
        let pixel = UInt64(1) << UInt64(24 - zoom)
        let north = max(0, Int64(middle.y) - Int64(384 * pixel))
        return View(
            zoom: zoom,
            window: WorldWindow(
                west: UInt32(truncatingIfNeeded: UInt64(middle.x) &- 512 * pixel),
                width: 1024 * pixel, north: UInt32(north), height: 768 * pixel))
    }
}
