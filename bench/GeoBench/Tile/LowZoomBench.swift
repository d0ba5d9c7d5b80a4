import GeoIndex
import GeoService
import TestSupport
import TileRender

extension Bench {
    /// Zooms 0 to 4, where every answer is about many objects. `index.low-zooms-cold`: the world's
    /// clusters of a new index, each zoom once; `index.low-zooms`: the same again, each time after
    /// a move of some object. `tile.low-heat-cold` and `tile.low-heat`: heat tiles likewise.
    func lowZooms(_ snapshot: IndexSnapshot) throws {
        try lowZooms(
            "index.low-zooms", checked: "the counts of each zoom sum up to all objects"
        ) { (layer: LayerIndex, zoom: Int) -> ClusterSet in
            layer.current.clusters(in: .world, options: try ClusterOptions(zoom: zoom))
        } check: { clusters, zoom in
            try GeoBench.check(
                clusters.counts.reduce(0, +) == input.count, "the clusters of zoom \(zoom)")
        } isSame: { (left: ClusterSet, right: ClusterSet) -> Bool in
            left.ids == right.ids && left.counts == right.counts && left.points == right.points
        }

        guard wants("tile.low-heat") || wants("tile.low-heat-cold") else { return }
        let painter = try TilePainter(KindStyle(assets: nil))
        let scale = HeatScale.fitted(to: snapshot, version: 1)
        let twin = try TileTwin(input: input, heat: scale)
        let place = WorldPoint(input.placements[0].position)
        func request(_ zoom: Int) -> TileRequest {
            let tile = TileID(QuadCell(level: UInt8(zoom), containing: place))
            return TileRequest(
                layer: "City", tile: tile, scale: 1, style: .heat, ramp: .standard, filter: .all)
        }
        for zoom in 0...4 {
            let image = painter.drawing(of: request(zoom), from: snapshot, scale: scale).image()
            try twin.check(image, try PNGEncoder().encode(image), of: request(zoom))
        }
        try lowZooms("tile.low-heat", checked: "5 tiles against all objects") { layer, zoom in
            try PNGEncoder().encode(
                painter.drawing(of: request(zoom), from: layer.current, scale: scale).image())
        } check: { file, zoom in
            try GeoBench.check(!file.isEmpty, "the tile of zoom \(zoom) is empty")
        } isSame: {
            $0 == $1
        }
    }

    /// Measures both: in a new index each zoom once, then each after a move. In the end all
    /// answers must be those of an index built from what is left.
    private func lowZooms<Answer>(
        _ operation: String, checked: String, _ question: (LayerIndex, Int) throws -> Answer,
        check: (Answer, Int) throws -> Void, isSame: (Answer, Answer) -> Bool
    ) throws {
        guard wants(operation) || wants(operation + "-cold") else { return }
        var book = EditBook(input: input)
        var (cold, warm): ([Statistics], [Statistics]) = ([], [])
        for _ in 0..<runs {
            let layer = LayerIndex(try book.index())
            layer.prepareForChanges()
            var samples = Samples()
            for zoom in 0...4 { try check(try samples.time { try question(layer, zoom) }, zoom) }
            cold.append(samples.statistics)
            samples = Samples()
            for number in 0..<50 {
                try layer.apply(book.moves(1))
                let zoom = number % 5
                try check(try samples.time { try question(layer, zoom) }, zoom)
            }
            warm.append(samples.statistics)
            guard cold.count == runs else { continue }
            let fresh = LayerIndex(try book.index())
            for zoom in 0...4 {
                try GeoBench.check(
                    isSame(try question(layer, zoom), try question(fresh, zoom)),
                    "\(operation) at zoom \(zoom) after the moves")
            }
        }
        for (name, statistics, calls, note) in [
            (operation + "-cold", cold, 5, "zooms 0 to 4 of a new index; p99 is the slowest"),
            (operation, warm, 50, "zooms 0 to 4 by turns, each after a move"),
        ] where wants(name) {
            report.add(
                Record(
                    name: input.benchmark(name), statistics: Statistics(medianOf: statistics),
                    calls: calls, runs: runs, check: checked + ", and after all moves a new index",
                    note: note))
        }
    }
}
