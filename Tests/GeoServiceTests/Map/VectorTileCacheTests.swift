import Dispatch
import GeoIndex
import Synchronization
import Testing
import TileRender

@testable import GeoService

/// The cache's promise for vector tiles: gathered again only after a write that may show, written
/// again only when something shows.
struct VectorTileCacheTests {
    private let layer = LayerIndex()
    private let cache = TileCache(limitBytes: 1 << 20)
    private let painter = VectorTilePainter(layer: "L")

    /// What one request did.
    private struct Work: Equatable {
        var gathered = false
        var written = false
    }

    /// A pair that is one cluster, and an object that stands alone.
    init() throws {
        try layer.apply([
            edit("a", lon: 13.4, content: 1), edit("b", lon: 13.4001, content: 2),
            edit("c", lon: 12.5, content: 3),
        ])
    }

    private func edit(_ id: String, lon: Double, lat: Double = 52.5, content: UInt64) -> ObjectEdit
    {
        guard let position = try? LonLat(lon: lon, lat: lat) else {
            preconditionFailure("\(lon), \(lat)")
        }
        return ObjectEdit(
            id: id, placement: Placement(position: RoundedPosition(position), content: content))
    }

    private func request(_ form: TileForm = .vector(hidden: [])) throws -> TileRequest {
        var request = TileRequest(
            layer: "L", tile: try TileID(zoom: 7, x: 68, y: 41), scale: 1, style: .clusters,
            ramp: .standard, filter: .all)
        request.form = form
        return request
    }

    private func ask(_ form: TileForm = .vector(hidden: [])) throws -> Work {
        let request = try request(form)
        let snapshot = layer.current
        var work = Work()
        _ = try cache.response(for: request, snapshot: snapshot, domain: 0) {
            work.gathered = true
            return painter.gather(request.tile, from: snapshot)
        } respond: { content in
            work.written = true
            return .tagged(.vectorTile, painter.encodeWithoutDocuments(content) ?? [])
        }
        return work
    }

    @Test("a write elsewhere gathers nothing, one within a cluster writes nothing")
    func proof() throws {
        #expect(try ask() == Work(gathered: true, written: true))
        #expect(try ask() == Work())
        try layer.apply([edit("far", lon: -70, lat: -30, content: 4)])
        #expect(try ask() == Work())
        try layer.apply([edit("a", lon: 13.4, content: 5)])
        #expect(try ask() == Work(gathered: true))
        #expect(try ask() == Work())
        try layer.apply([edit("c", lon: 12.5, content: 6)])
        #expect(try ask() == Work(gathered: true, written: true))
    }

    @Test("what is hidden from a viewer, and the form, tell tiles apart")
    func forms() throws {
        for form in [
            TileForm.vector(hidden: []), .vector(hidden: ["price"]), .geoJSON(hidden: []),
            .picture,
        ] {
            #expect(try ask(form) == Work(gathered: true, written: true))
            #expect(try ask(form) == Work())
        }
    }

    @Test("a failure leaves the tile that was there, and the next request tries again")
    func failure() throws {
        struct Overtaken: Error {}
        _ = try ask()
        try layer.apply([edit("c", lon: 12.5, content: 7)])
        let request = try request()
        let snapshot = layer.current
        #expect(throws: Overtaken.self) {
            try cache.response(for: request, snapshot: snapshot, domain: 0) {
                painter.gather(request.tile, from: snapshot)
            } respond: { _ in
                throw Overtaken()
            }
        }
        #expect(try ask() == Work(gathered: true, written: true))
    }

    @Test("requests at the same time write a tile once")
    func concurrency() throws {
        let request = try request()
        let snapshot = layer.current
        let written = Atomic<Int>(0)
        let tags = Mutex<Set<EntityTag>>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let response = try? cache.response(for: request, snapshot: snapshot, domain: 0) {
                painter.gather(request.tile, from: snapshot)
            } respond: { content in
                written.add(1, ordering: .relaxed)
                return .tagged(.vectorTile, painter.encodeWithoutDocuments(content) ?? [])
            }
            if let tag = response?.response.entityTag { tags.withLock { _ = $0.insert(tag) } }
        }
        #expect(written.load(ordering: .relaxed) == 1)
        #expect(tags.withLock { $0.count } == 1)
    }
}
