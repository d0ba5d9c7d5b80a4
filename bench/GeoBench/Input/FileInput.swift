import GeoIndex

extension BenchInput {
    /// The files of a generator: `points_N.csv` and its questions.
    ///
    /// - Throws: ``FileFailure`` when one is missing or not as it should be.
    init(folder: String, size: String) throws {
        let points = try CSVBytes(path: "\(folder)/points_\(size.lowercased()).csv")
        var placements: [Placement] = []
        try points.forEachRow(header: "id,lon,lat,kind,weight,created_at") { row in
            placements.append(
                Placement(
                    position: RoundedPosition(
                        try LonLat(lon: try row.number(1), lat: try row.number(2))),
                    kind: row.text(3), weight: try row.number(4),
                    time: Int64(try row.number(5)) * 1_000, content: UInt64(placements.count)))
        }
        self.init(name: "peers", size: size, placements: placements)
        try CSVBytes(path: folder + "/nearest.csv").forEachRow(header: "lon,lat") { row in
            centres.append(try row.position(0, 1))
        }
        try CSVBytes(path: folder + "/radius.csv").forEachRow(header: "lon,lat,radius_m") { row in
            if circles.count < 2_000 { circles.append(try row.position(0, 1)) }
        }
        try CSVBytes(path: folder + "/viewports.csv").forEachRow(
            header: "zoom,west,south,east,north"
        ) { row in
            let box = try BoundingBox(
                west: try row.number(1), south: try row.number(2), east: try row.number(3),
                north: try row.number(4))
            if views.count < 1_000 {
                views.append(View(zoom: Int(try row.number(0)), window: WorldWindow(box)))
            }
        }
        try CSVBytes(path: folder + "/tiles.csv").forEachRow(header: "z,x,y") { row in
            tiles.append(
                try TileID(
                    zoom: Int(try row.number(0)), x: Int(try row.number(1)),
                    y: Int(try row.number(2))))
        }
    }
}
