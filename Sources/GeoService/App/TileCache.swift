import GeoIndex
import Synchronization

/// Rendered tiles, bounded in bytes. A tile is drawn once for all who ask at the same time, and
/// drawn again only when something that it depends on has changed.
final class TileCache: Sendable {
    /// One tile's slot: whoever holds the lock draws, the others wait for the result.
    private final class Slot: Sendable {
        let tile = Mutex<Tile?>(nil)
    }

    /// A drawn tile and what proves that it still is what would be drawn.
    private struct Tile {
        var age: Age
        var domain: Double
        var dependencies: [ClosedRange<UInt64>]
        var sum: RangeSum
        var hash: UInt64
        var response: CachedResponse
    }

    /// How far a state of the index is. A state of which a reader has taken out what has expired
    /// has the generation of the one that it was made of, but fewer objects.
    private struct Age {
        var generation: UInt64
        var count: Int

        init(_ snapshot: IndexSnapshot) {
            generation = snapshot.generation
            count = snapshot.count
        }

        func isBefore(_ other: Age) -> Bool {
            generation == other.generation ? count > other.count : generation < other.generation
        }
    }

    /// More ranges than an event thread sums up.
    private static let quickRanges = 192

    private let slots: TwoGenerationCache<TileRequest, Slot>

    /// Creates an empty cache.
    ///
    /// - Parameter limitBytes: About how much it may take.
    init(limitBytes: Int) {
        slots = TwoGenerationCache(limitBytes: limitBytes)
    }

    /// A tile that is there and quickly proved to be what would be drawn; nil when it is not, or
    /// when somebody is drawing it just now. Never waits.
    ///
    /// - Parameter domain: The top of the heat's scale, 0 for other styles.
    /// - Complexity: O(1) while nothing in the layer changed, else O(dependencies · log n).
    func find(_ request: TileRequest, snapshot: IndexSnapshot, domain: Double) -> CachedResponse? {
        slots.find(request)?.tile.withLockIfAvailable { tile in
            guard let known = tile else { return nil }
            // With a filter the sums take a look at every entry.
            if known.age.isBefore(Age(snapshot))
                && (!request.filter.keepsAll || known.dependencies.count > TileCache.quickRanges)
            {
                return nil
            }
            return TileCache.prove(&tile, request, snapshot, domain)
        } ?? nil
    }

    /// A tile of a layer, from the cache when nothing that it is drawn from has changed.
    ///
    /// - Parameters:
    ///   - domain: The top of the heat's scale, 0 for other styles.
    ///   - draw: Gathers what the tile is drawn from.
    ///   - respond: Makes the answer out of a drawing. What it throws leaves the cache as it was.
    func response<Content: TileContent>(
        for request: TileRequest, snapshot: IndexSnapshot, domain: Double,
        draw: () -> Content, respond: (Content) throws -> Response
    ) throws -> CachedResponse {
        let slot = slots.value(request, bytes: request.bytes) { Slot() }
        return try slot.tile.withLock { tile in
            if let known = TileCache.prove(&tile, request, snapshot, domain) { return known }
            let drawing = draw()
            let response: CachedResponse
            if let known = tile, known.hash == drawing.hash {
                response = known.response
            } else {
                response = CachedResponse(try respond(drawing))
            }
            tile = Tile(
                age: Age(snapshot), domain: domain,
                dependencies: drawing.dependencies,
                sum: snapshot.sum(over: drawing.dependencies, filter: request.filter),
                hash: drawing.hash, response: response)
            slots.keep(
                slot, as: request,
                bytes: request.bytes + response.bytes
                    + drawing.dependencies.count * MemoryLayout<ClosedRange<UInt64>>.stride)
            return response
        }
    }

    /// The answer of a tile whose drawing was gathered already, drawn only when it is not the one
    /// that is kept.
    ///
    /// - Parameter snapshot: The state of the layer that the drawing was gathered from.
    func response(
        for request: TileRequest, _ drawing: TileDrawing, snapshot: IndexSnapshot, domain: Double,
        respond: (TileDrawing) throws -> Response
    ) throws -> CachedResponse {
        let slot = slots.value(request, bytes: request.bytes) { Slot() }
        return try slot.tile.withLock { tile in
            if var known = tile, known.hash == drawing.hash {
                if known.age.isBefore(Age(snapshot)) { known.age = Age(snapshot) }
                known.domain = domain
                tile = known
                return known.response
            }
            let response = CachedResponse(try respond(drawing))
            // Whoever was overtaken by a newer state leaves that in its place.
            if let known = tile, Age(snapshot).isBefore(known.age) { return response }
            // The sum is not asked: with a condition nothing is proved by it.
            tile = Tile(
                age: Age(snapshot), domain: domain, dependencies: [], sum: RangeSum(),
                hash: drawing.hash, response: response)
            slots.keep(slot, as: request, bytes: request.bytes + response.bytes)
            return response
        }
    }

    /// The answer of a drawn tile when nothing that it depends on has changed since.
    private static func prove(
        _ tile: inout Tile?, _ request: TileRequest, _ snapshot: IndexSnapshot, _ domain: Double
    ) -> CachedResponse? {
        guard let known = tile, known.domain == domain else { return nil }
        // A reader that was overtaken by a newer state may take the newer tile.
        if known.age.isBefore(Age(snapshot)) {
            let sum = snapshot.sum(over: known.dependencies, filter: request.filter)
            guard sum == known.sum else { return nil }
            tile?.age = Age(snapshot)
        }
        return known.response
    }
}

extension CachedResponse {
    /// What it takes, at most: the body, and the same packed.
    fileprivate var bytes: Int {
        response.dependsOnCoding ? 2 * response.bytes.count : response.bytes.count
    }
}

extension TileRequest {
    /// About what a slot takes beside its picture.
    fileprivate var bytes: Int {
        let kinds = filter.kinds?.reduce(0) { $0 + $1.utf8.count + 48 } ?? 0
        let hidden =
            switch form {
            case .picture: 0
            case .vector(let names), .geoJSON(let names):
                names.reduce(0) { $0 + $1.utf8.count + 16 }
            }
        return 768 + layer.utf8.count + kinds + hidden + (filter.test?.name.utf8.count ?? 0)
    }
}
