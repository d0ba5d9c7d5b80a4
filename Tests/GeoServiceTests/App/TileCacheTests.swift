import GeoIndex
import Testing
import TileRender

@testable import GeoService

/// The cache's promise: a tile is drawn again when, and only when, something that it is drawn from
/// has changed, and then its tag is another.
struct TileCacheTests {
    private let painter: TilePainter
    private let layer = LayerIndex()
    private let cache = TileCache(limitBytes: 1 << 20)

    init() throws {
        painter = try TilePainter()
        try layer.apply(
            (0..<200).map { number in
                edit(
                    "\(number)", lon: 13 + Double(number % 20) * 0.01,
                    lat: 52 + Double(number / 20) * 0.01)
            })
    }

    private func edit(_ id: String, lon: Double, lat: Double, kind: String = "event") -> ObjectEdit
    {
        guard let position = try? LonLat(lon: lon, lat: lat) else {
            preconditionFailure("\(lon), \(lat)")
        }
        return ObjectEdit(
            id: id,
            placement: Placement(position: RoundedPosition(position), kind: kind, content: 7))
    }

    private func request(_ style: TileStyle) throws -> TileRequest {
        TileRequest(
            layer: "L", tile: try TileID(zoom: 9, x: 274, y: 168), scale: 1, style: style,
            ramp: .standard, filter: .all)
    }

    /// The tile's hash, and whether it was gathered anew.
    private func ask(_ style: TileStyle) throws -> (hash: UInt64, isDrawn: Bool) {
        let request = try request(style)
        var gathered = 0
        var hash: UInt64 = 0
        let snapshot = layer.current
        let response = try cache.response(for: request, snapshot: snapshot, domain: 4) {
            gathered += 1
            return painter.drawing(of: request, from: snapshot, scale: .unfitted)
        } respond: { drawing in
            Response(.ok, .png, Array(String(drawing.hash).utf8))
        }
        hash = UInt64(String(decoding: response.response.bytes, as: UTF8.self)) ?? 0
        return (hash, gathered > 0)
    }

    @Test(
        "a write elsewhere neither draws a tile again nor changes its tag",
        arguments: TileStyle.allCases)
    func elsewhere(style: TileStyle) throws {
        let first = try ask(style)
        #expect(first.isDrawn)
        try layer.apply([edit("far", lon: -70, lat: -30)])
        let second = try ask(style)
        #expect(second.hash == first.hash)
        #expect(!second.isDrawn)
        let snapshot = layer.current
        #expect(cache.find(try request(style), snapshot: snapshot, domain: 4) != nil)
    }

    @Test(
        "a write that shows changes the tag, undone it is the old one",
        arguments: TileStyle.allCases)
    func here(style: TileStyle) throws {
        let first = try ask(style)
        try layer.apply([edit("new", lon: 13.3, lat: 52.3)])
        #expect(cache.find(try request(style), snapshot: layer.current, domain: 4) == nil)
        let second = try ask(style)
        #expect(second.hash != first.hash)
        try layer.apply([ObjectEdit(id: "new", placement: nil)])
        #expect(try ask(style).hash == first.hash)
    }

    @Test("another scale is another tile")
    func scale() throws {
        _ = try ask(.heat)
        let snapshot = layer.current
        #expect(cache.find(try request(.heat), snapshot: snapshot, domain: 4) != nil)
        #expect(cache.find(try request(.heat), snapshot: snapshot, domain: 8) == nil)
    }

    @Test(
        "what expires is in no tile from that instant on, and in every one before",
        arguments: TileStyle.allCases)
    func expiry(style: TileStyle) throws {
        let request = try request(style)
        /// The tile at an instant, by the way that a request takes.
        func hash(at now: Int64) throws -> UInt64 {
            let snapshot = layer.current(at: now)
            if let known = cache.find(request, snapshot: snapshot, domain: 4) {
                return UInt64(String(decoding: known.response.bytes, as: UTF8.self)) ?? 0
            }
            let response = try cache.response(for: request, snapshot: snapshot, domain: 4) {
                painter.drawing(of: request, from: snapshot, scale: .unfitted)
            } respond: { drawing in
                Response(.ok, .png, Array(String(drawing.hash).utf8))
            }
            return UInt64(String(decoding: response.response.bytes, as: UTF8.self)) ?? 0
        }
        let without = try hash(at: 0)
        var edit = edit("short", lon: 13.3, lat: 52.3)
        edit.placement?.expires = 1_000
        try layer.apply([edit])
        let with = try hash(at: 0)
        #expect(with != without)
        #expect(try hash(at: 999) == with)
        #expect(try hash(at: 1_000) == without)
        #expect(try hash(at: 5_000) == without)
    }
}
