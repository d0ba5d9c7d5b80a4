import GeoIndex
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

    private let map: Basemap
    private let mapHash: UInt64
    private let pool: WorkPool
    private let kept: TwoGenerationCache<Key, CachedResponse>

    /// Reads the map's file.
    ///
    /// - Throws: ``BasemapError``.
    init(file: [UInt8], limitBytes: Int, pool: WorkPool) throws {
        map = try Basemap(file: file)
        var hash = StableHash()
        hash.combine(bytes: file)
        mapHash = hash.value
        kept = TwoGenerationCache(limitBytes: limitBytes)
        self.pool = pool
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

    private func draw(_ key: Key) throws -> CachedResponse {
        if let known = kept.find(key) { return known }
        let image = try map.image(of: PixelWindow(tile: key.tile, scale: key.scale))
        var response = Response(.ok, .png, try PNGEncoder().encode(image))
        var hash = StableHash(seed: mapHash)
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
