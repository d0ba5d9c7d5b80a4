import Dispatch
import GeoIndex
import Glibc
import Synchronization
import Testing
import TileRender

@testable import GeoService

/// The cache under many requests: each tile is drawn once, and memory stays bounded.
struct TileCacheLoadTests {
    private let snapshot = BulkBuilder().build()

    private func request(_ x: Int) throws -> TileRequest {
        TileRequest(
            layer: "L", tile: try TileID(zoom: 14, x: x, y: 3), scale: 1, style: .points,
            ramp: .standard, filter: .all)
    }

    private static func drawing(_ hash: UInt64) -> TileDrawing {
        TileDrawing(hash: hash, dependencies: [0...UInt64.max]) {
            PointLayerImage.clear
        }
    }

    /// What a drawing's picture is here: it is never looked at.
    private enum PointLayerImage {
        static let clear = HeatLayer(domain: 1).draw(
            HeatLayer(domain: 1).grid(
                for: PixelWindow(
                    zoom: 0, scale: 1, originX: 0, originY: 0, width: 1, height: 1)))
    }

    @Test("a tile is drawn once for all who ask at the same time", arguments: 0..<8)
    func once(round: Int) throws {
        let askers = 6
        let cache = TileCache(limitBytes: 1 << 20)
        let pool = WorkPool(threads: askers, queueLimit: askers)
        let request = try request(round)
        let asking = Atomic(0)
        let drawn = Atomic(0)
        let answers = Mutex<[[UInt8]]>([])
        let group = DispatchGroup()
        for _ in 0..<askers {
            group.enter()
            let isTaken = pool.submit { [snapshot] in
                defer { group.leave() }
                asking.add(1, ordering: .sequentiallyConsistent)
                let response = try? cache.response(for: request, snapshot: snapshot, domain: 0) {
                    let number = drawn.add(1, ordering: .sequentiallyConsistent).newValue
                    // Not done before all have asked: whoever does not wait draws too.
                    while asking.load(ordering: .sequentiallyConsistent) < askers {
                        sched_yield()
                    }
                    return Self.drawing(UInt64(number))
                } respond: {
                    Response(.ok, .png, Array("\($0.hash)".utf8))
                }
                answers.withLock { $0.append(response?.response.bytes ?? []) }
            }
            #expect(isTaken)
        }
        group.wait()
        pool.shut()
        #expect(drawn.load(ordering: .sequentiallyConsistent) == 1)
        #expect(answers.withLock { $0 } == [[UInt8]](repeating: Array("1".utf8), count: askers))
    }

    @Test("while a tile is being drawn nobody waits for it on an event thread")
    func neverWaits() throws {
        let cache = TileCache(limitBytes: 1 << 20)
        let request = try request(1)
        _ = try cache.response(for: request, snapshot: snapshot, domain: 0) {
            #expect(cache.find(request, snapshot: snapshot, domain: 0) == nil)
            return Self.drawing(1)
        } respond: { _ in
            Response(.ok, .png, [1])
        }
        #expect(cache.find(request, snapshot: snapshot, domain: 0) != nil)
    }

    @Test(
        "tiles take no more than the limit and a half, however large",
        arguments: [100, 5_000, 40_000])
    func bounded(size: Int) throws {
        let limit = 1 << 20
        let cache = TileCache(limitBytes: limit)
        let count = 4 * limit / size
        for x in 0..<min(count, 8_000) {
            _ = try cache.response(for: request(x), snapshot: snapshot, domain: 0) {
                Self.drawing(UInt64(x))
            } respond: { _ in
                Response(.ok, .png, [UInt8](repeating: 7, count: size))
            }
        }
        let kept = try (0..<min(count, 8_000)).count { x in
            try cache.find(request(x), snapshot: snapshot, domain: 0) != nil
        }
        #expect(kept > 0)
        #expect(kept * size <= limit * 3 / 2)
        // A slot takes something too, which counts for tiles that are small.
        #expect(kept <= limit * 3 / 2 / 768)
    }
}
