import GeoIndex
import Synchronization
import TileRender

/// Tiles of the embedded world map: drawn on worker threads, kept in memory.
///
/// They never change while the service runs, so that a tile's tag is the hash of its place and of
/// the map's file.
final class BasemapTiles: Sendable {
    private struct Key: Hashable {
        var tile: TileID
        var scale: Int
    }

    /// The map as it can be drawn, and the hash of its file.
    private struct ReadMap {
        let basemap: Basemap
        let hash: UInt64
    }

    private enum State {
        case unread(file: [UInt8])
        case read(ReadMap)
    }

    /// Reading the map takes a third of a second, for which no start waits: the first who needs it
    /// reads it, on a worker thread, and the others wait for that.
    private let state: Mutex<State>
    private let pool: WorkPool
    private let kept: TwoGenerationCache<Key, CachedResponse>

    /// Takes the map's file, and proves that it is whole.
    ///
    /// - Throws: ``BasemapError``.
    init(file: [UInt8], limitBytes: Int, pool: WorkPool) throws {
        try Basemap.prove(file: file)
        state = Mutex(.unread(file: file))
        kept = TwoGenerationCache(limitBytes: limitBytes)
        self.pool = pool
    }

    /// Reads the map on a worker thread, so that the first tile need not wait for it.
    func prepare() {
        _ = pool.submit { [self] in
            do { _ = try map() } catch { Log.warning("the world map cannot be drawn: \(error)") }
        }
    }

    private func map() throws -> ReadMap {
        try state.withLock { state in
            switch state {
            case .read(let map): return map
            case .unread(let file):
                var hash = StableHash()
                hash.combine(bytes: file)
                let map = ReadMap(basemap: try Basemap(file: file), hash: hash.value)
                state = .read(map)
                return map
            }
        }
    }

    func action(tile: TileID, scale: Int) -> Action {
        let key = Key(tile: tile, scale: scale)
        if let known = kept.find(key) { return .reply(Response(known)) }
        return .later { [self] responder in
            let isTaken = pool.submit { [self] in
                responder.respond { Response(try draw(key)) }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    /// The picture of a window. Blocks: for worker threads only.
    func png(of window: PixelWindow) throws -> [UInt8] {
        try PNGEncoder().encode(map().basemap.image(of: window))
    }

    private func draw(_ key: Key) throws -> CachedResponse {
        if let known = kept.find(key) { return known }
        let map = try map()
        let image = try map.basemap.image(of: PixelWindow(tile: key.tile, scale: key.scale))
        var response = Response(.ok, .png, try PNGEncoder().encode(image))
        var hash = StableHash(seed: map.hash)
        hash.combine(MortonKey(WorldPoint(x: key.tile.x, y: key.tile.y)).bits)
        hash.combine(UInt64(key.tile.zoom) << 8 | UInt64(key.scale))
        hash.combine(TileRevision.number)
        response.entityTag = EntityTag(hash.value)
        response.cacheControl = "public, no-cache"
        let cached = CachedResponse(response)
        kept.keep(cached, as: key, bytes: response.bytes.count + 512)
        return cached
    }
}

extension Problem {
    /// A 503 for work that cannot be queued.
    static var overloaded: Problem {
        Problem(
            .serviceUnavailable, "too many requests of this kind are waiting; try again later",
            headers: [HeaderField("Retry-After", "1")])
    }
}
