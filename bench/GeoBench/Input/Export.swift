import GeoIndex
import Glibc

/// Writes an input for programs in other languages: `points.f64` (pairs of little-endian doubles,
/// longitude first), `nearest.csv`, `radius.csv`, `viewports.csv`, `tiles.csv`.
struct Export {
    let input: BenchInput

    /// Writes into a folder that is there.
    ///
    /// - Throws: ``FileFailure`` when a file cannot be written.
    func write(to folder: String) throws(FileFailure) {
        var points: [Double] = []
        points.reserveCapacity(2 * input.count)
        for placement in input.placements {
            points.append(placement.position.lon)
            points.append(placement.position.lat)
        }
        let bytes = unsafe points.withUnsafeBytes { unsafe [UInt8]($0) }
        try save(bytes, folder + "/points.f64")
        try save("lon,lat", input.centres.map { "\($0.lon),\($0.lat)" }, folder + "/nearest.csv")
        let meters = BenchInput.radius.meters
        try save(
            "lon,lat,radius_m", input.circles.map { "\($0.lon),\($0.lat),\(meters)" },
            folder + "/radius.csv")
        try save(
            "zoom,west,south,east,north", input.views.map(Export.row), folder + "/viewports.csv")
        try save(
            "z,x,y", input.tiles.map { "\($0.zoom),\($0.x),\($0.y)" }, folder + "/tiles.csv")
    }

    /// A view as a box. One across ±180° ends there: the peers know no other.
    private static func row(_ view: BenchInput.View) -> String {
        let window = view.window
        let end = min(UInt64(window.west) + window.width, WorldWindow.worldSize)
        let east = Double(end) / Double(WorldWindow.worldSize) * 360 - 180
        let south = WorldPoint.lat(ofRow: Double(UInt64(window.north) + window.height))
        let west = WorldPoint(x: window.west, y: window.north)
        return "\(view.zoom),\(west.lon),\(south),\(east),\(west.lat)"
    }

    private func save(_ header: String, _ rows: [String], _ path: String) throws(FileFailure) {
        try save(Array(([header] + rows).joined(separator: "\n").utf8) + [10], path)
    }

    private func save(_ bytes: [UInt8], _ path: String) throws(FileFailure) {
        try Export.save(bytes, path)
    }

    /// Writes a file whole.
    ///
    /// - Throws: ``FileFailure``.
    static func save(_ bytes: [UInt8], _ path: String) throws(FileFailure) {
        guard let file = unsafe fopen(path, "wb") else {
            throw FileFailure(description: "\(path) cannot be written")
        }
        let written = unsafe fwrite(bytes, 1, bytes.count, file)
        guard unsafe fclose(file) == 0, written == bytes.count else {
            throw FileFailure(description: "\(path) cannot be written")
        }
    }
}
