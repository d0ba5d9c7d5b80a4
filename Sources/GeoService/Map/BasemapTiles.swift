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

    private struct Kept {
        var young: [Key: CachedResponse] = [:]
        var old: [Key: CachedResponse] = [:]
        var youngBytes = 0
    }

    private let map: Basemap
    private let mapHash: UInt64
    private let pool: WorkPool
    private let kept = Mutex(Kept())
    private let limitBytes: Int

    /// Reads the map's file.
    ///
    /// - Throws: ``BasemapError``.
    init(file: [UInt8], limitBytes: Int, pool: WorkPool) throws {
        map = try Basemap(file: file)
        var hash = StableHash()
        hash.combine(bytes: file)
        mapHash = hash.value
        self.limitBytes = limitBytes
        self.pool = pool
    }

    func action(tile: TileID, scale: Int, _ request: Request) throws -> Action {
        _ = try MapQuery(request, own: [], isFiltered: false)
        let key = Key(tile: tile, scale: scale)
        if let known = find(key) { return .reply(Response(known)) }
        return .later { [self] responder in
            let isTaken = pool.submit { [self] in
                responder.respond { Response(try draw(key)) }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    private func draw(_ key: Key) throws -> CachedResponse {
        if let known = find(key) { return known }
        let image = try map.image(of: PixelWindow(tile: key.tile, scale: key.scale))
        var response = Response(.ok, .png, try PNGEncoder().encode(image))
        var hash = StableHash(seed: mapHash)
        hash.combine(MortonKey(WorldPoint(x: key.tile.x, y: key.tile.y)).bits)
        hash.combine(UInt64(key.tile.zoom) << 8 | UInt64(key.scale))
        response.entityTag = EntityTag(hash.value)
        response.cacheControl = "public, no-cache"
        let cached = CachedResponse(response)
        keep(cached, as: key)
        return cached
    }

    private func find(_ key: Key) -> CachedResponse? {
        kept.withLock { kept in
            if let known = kept.young[key] { return known }
            guard let known = kept.old[key] else { return nil }
            add(known, as: key, to: &kept)
            return known
        }
    }

    private func keep(_ response: CachedResponse, as key: Key) {
        kept.withLock { add(response, as: key, to: &$0) }
    }

    private func add(_ response: CachedResponse, as key: Key, to kept: inout Kept) {
        kept.young[key] = response
        kept.youngBytes += response.response.bytes.count + 512
        guard kept.youngBytes > limitBytes / 2 else { return }
        kept.old = kept.young
        kept.young = [:]
        kept.youngBytes = 0
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
