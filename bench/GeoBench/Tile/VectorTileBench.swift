import GeoIndex
import GeoService
import TestSupport
import TileRender

extension Bench {
    /// `tile.mvt-clusters`: from the index to the bytes of a vector tile, as the service makes one
    /// that is not in its cache, but for the documents of singles, of which only ids are known here.
    func vectorTiles(_ snapshot: IndexSnapshot) throws {
        guard wants("tile.mvt-clusters") else { return }
        let painter = VectorTilePainter(layer: "City")
        let sample = sample(5, of: input.tiles.count)
        for index in sample { try checkVectorTile(input.tiles[index], painter, snapshot) }
        try ask(
            "tile.mvt-clusters", count: input.tiles.count,
            checked: "\(sample.count) tiles against all objects, and read back",
            note: try parts(painter, snapshot)
        ) {
            try painter.tile(input.tiles[$0], from: snapshot) ?? []
        } sum: {
            Double($0.count)
        }
    }

    /// Compares a tile that was read back with the clusters of all objects.
    private func checkVectorTile(
        _ tile: TileID, _ painter: VectorTilePainter, _ snapshot: IndexSnapshot
    ) throws {
        let grid = VectorTileGrid(tile: tile)
        let options = try ClusterOptions(zoom: Int(tile.zoom))
        var expected: [[UInt64]: Int] = [:]
        var singles = 0
        for (id, cluster) in ClusterTwin(options).clusters(of: input, in: grid.window) {
            grid.forEachPlace(of: cluster.point) { x, y in
                if cluster.count > 1 {
                    expected[[id, UInt64(bitPattern: Int64(x)), UInt64(bitPattern: Int64(y))]] =
                        cluster.count
                } else {
                    singles += 1
                }
            }
        }
        let bytes = try painter.tile(tile, from: snapshot) ?? []
        let decoded = bytes.isEmpty ? [] : try DecodedVectorTile(bytes).features
        for feature in decoded {
            guard case .unsigned(let count)? = feature.properties["point_count"] else {
                singles -= 1
                continue
            }
            let place = [
                feature.id, UInt64(bitPattern: Int64(feature.x)),
                UInt64(bitPattern: Int64(feature.y)),
            ]
            try check(expected.removeValue(forKey: place) == Int(count), "a cluster of \(tile)")
        }
        try check(expected.isEmpty && singles == 0, "what vector tile \(tile) shows")
    }

    /// How the processor's time is shared out between the steps, and the mean sizes.
    private func parts(_ painter: VectorTilePainter, _ snapshot: IndexSnapshot) throws -> String {
        var (gathering, writing) = (Samples(), Samples())
        var (bytes, features) = (0, 0)
        for tile in input.tiles {
            let content = gathering.time { painter.gather(tile, from: snapshot) }
            bytes += writing.time { painter.encodeWithoutDocuments(content) }?.count ?? 0
            features += content.count
        }
        func median(_ samples: Samples) -> Int { Int(samples.statistics.processor.p50.rounded()) }
        let count = max(1, input.tiles.count)
        return "processor p50: gathering \(median(gathering)), writing \(median(writing)) us; "
            + "\(features / count) features, \(bytes / count) bytes"
    }
}
