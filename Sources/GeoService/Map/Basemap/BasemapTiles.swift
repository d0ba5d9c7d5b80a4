import GeoIndex
import JSONText
import Synchronization
import TileRender

/// Tiles of the embedded world map: drawn on worker threads, kept in memory.
///
/// A tile's tag is the hash of its place, of the map's file, of its style and of the features that
/// it shows.
final class BasemapTiles: Sendable {
    private struct Key: Hashable {
        var tile: TileID
        var scale: Int
        /// The style's place in the file.
        var style: Int
        /// What the features drawn beside the world map amount to.
        var features: UInt64
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
    private let style: BasemapStyleFile
    /// The newest state of what is drawn beside the world map.
    private let features: @Sendable () -> any BasemapFeatures
    private let kept: TwoGenerationCache<Key, CachedResponse>

    /// Takes the map's file, and proves that it is whole.
    ///
    /// - Parameter features: The newest state of a detailed source; it is asked for each tile, and
    ///   must not block.
    /// - Throws: ``BasemapError``.
    init(
        file: [UInt8], style: BasemapStyleFile, limitBytes: Int, pool: WorkPool,
        features: @escaping @Sendable () -> any BasemapFeatures = { NoFeatures() }
    ) throws {
        try Basemap.prove(file: file)
        state = Mutex(.unread(file: file))
        kept = TwoGenerationCache(limitBytes: limitBytes)
        self.style = style
        self.pool = pool
        self.features = features
    }

    /// The place of the style that a request names.
    ///
    /// - Throws: ``Problem``: 400 naming the styles that there are.
    func style(_ name: String?) throws(Problem) -> Int {
        guard let index = style.index(of: name) else {
            let known = style.styles.map(\.name).joined(separator: ", ")
            throw .parameter("style", "must be one of \(known)")
        }
        return index
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
                let basemap = try Basemap(file: file, styles: style.styles)
                let map = ReadMap(basemap: basemap, hash: hash.value)
                state = .read(map)
                return map
            }
        }
    }

    /// TileJSON 3.0.0 of the basemap in a style.
    ///
    /// - Throws: ``Problem``: 400 naming the styles that there are.
    func description(_ request: Request, style name: String?) throws(Problem) -> Response {
        let index = try style(name)
        let address = "\(request.baseURL)/tiles/basemap/{z}/{x}/{y}.png"
        var json = JSONWriter()
        json.value([
            "tilejson": "3.0.0", "name": "basemap", "scheme": "xyz", "format": "png",
            // A style's name needs no escapes.
            "tiles": [
                .string(index == 0 ? address : "\(address)?style=\(style.styles[index].name)")
            ],
            "minzoom": 0, "maxzoom": .integer(Int64(TileID.maxZoom)),
            "attribution": .string(Basemap.attribution),
            // A layer of pictures has none, but the field must be there.
            "vector_layers": [],
        ])
        return .tagged(.json, json.bytes)
    }

    func action(tile: TileID, scale: Int, style: Int) -> Action {
        let features = features()
        let window = PixelWindow(tile: tile, scale: scale)
        let key = Key(
            tile: tile, scale: scale, style: style,
            features: features.fingerprint(in: Basemap.reach(of: window)))
        if let known = kept.find(key) { return .reply(Response(known)) }
        return .later { [self] responder in
            let isTaken = pool.submit { [self] in
                responder.respond { Response(try draw(key, features)) }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    /// The picture of a window. Blocks: for worker threads only.
    ///
    /// - Parameter style: The style's place in the file.
    func png(of window: PixelWindow, style: Int) throws -> [UInt8] {
        let basemap = try map().basemap
        return try PNGEncoder().encode(
            basemap.image(of: window, style: style, features: features()))
    }

    private func draw(_ key: Key, _ features: any BasemapFeatures) throws -> CachedResponse {
        if let known = kept.find(key) { return known }
        let map = try map()
        let image = try map.basemap.image(
            of: PixelWindow(tile: key.tile, scale: key.scale), style: key.style,
            features: features)
        var response = Response(.ok, .png, try PNGEncoder().encode(image))
        var hash = StableHash(seed: map.hash)
        hash.combine(style.hashes[key.style])
        hash.combine(key.features)
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
