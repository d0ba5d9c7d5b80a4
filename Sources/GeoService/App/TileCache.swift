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
        var generation: UInt64
        var scaleVersion: Int
        var dependencies: [ClosedRange<UInt64>]
        var sum: RangeSum
        var hash: UInt64
        var response: CachedResponse
    }

    private struct Slots {
        /// Slots used since the last turn, and those used before: at a turn the latter go.
        var young: [TileRequest: Slot] = [:]
        var old: [TileRequest: Slot] = [:]
        var youngBytes = 0
    }

    /// What a slot takes beside its picture, about.
    private static let slotBytes = 1_024

    private let slots = Mutex(Slots())
    private let limitBytes: Int

    /// Creates an empty cache.
    ///
    /// - Parameter limitBytes: About how much it may take.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// A tile that is there and quickly proved to be what would be drawn; nil when it is not, or
    /// when somebody is drawing it just now. Never waits.
    ///
    /// - Complexity: O(1) while nothing in the layer changed, else O(dependencies · log n).
    func find(_ request: TileRequest, snapshot: IndexSnapshot, scaleVersion: Int)
        -> CachedResponse?
    {
        slot(for: request).tile.withLockIfAvailable { tile in
            guard let known = tile else { return nil }
            // With a filter the sums take a look at every entry.
            if known.generation < snapshot.generation && !request.filter.keepsAll { return nil }
            return TileCache.prove(&tile, request, snapshot, scaleVersion)
        } ?? nil
    }

    /// The answer of a drawn tile when nothing that it depends on has changed since.
    private static func prove(
        _ tile: inout Tile?, _ request: TileRequest, _ snapshot: IndexSnapshot, _ scaleVersion: Int
    ) -> CachedResponse? {
        guard let known = tile, known.scaleVersion == scaleVersion else { return nil }
        // A reader that was overtaken by a newer state may take the newer tile.
        if known.generation < snapshot.generation {
            let sum = snapshot.sum(over: known.dependencies, filter: request.filter)
            guard sum == known.sum else { return nil }
            tile?.generation = snapshot.generation
        }
        return known.response
    }

    /// A tile of a layer, from the cache when nothing that it is drawn from has changed.
    ///
    /// - Parameter draw: Gathers what the tile is drawn from.
    /// - Parameter respond: Makes the answer out of a drawing.
    func response(
        for request: TileRequest, snapshot: IndexSnapshot, scaleVersion: Int,
        draw: () -> TileDrawing, respond: (TileDrawing) throws -> Response
    ) throws -> CachedResponse {
        let slot = slot(for: request)
        return try slot.tile.withLock { tile in
            if let known = TileCache.prove(&tile, request, snapshot, scaleVersion) { return known }
            let drawing = draw()
            let response: CachedResponse
            if let known = tile, known.hash == drawing.hash {
                response = known.response
            } else {
                response = CachedResponse(try respond(drawing))
                note(bytes: response.response.bytes.count)
            }
            tile = Tile(
                generation: snapshot.generation, scaleVersion: scaleVersion,
                dependencies: drawing.dependencies,
                sum: snapshot.sum(over: drawing.dependencies, filter: request.filter),
                hash: drawing.hash, response: response)
            return response
        }
    }

    private func slot(for request: TileRequest) -> Slot {
        slots.withLock { slots in
            if let slot = slots.young[request] { return slot }
            let slot = slots.old[request] ?? Slot()
            slots.young[request] = slot
            add(TileCache.slotBytes, to: &slots)
            return slot
        }
    }

    private func note(bytes: Int) {
        slots.withLock { add(bytes, to: &$0) }
    }

    /// Counts bytes; when half of the limit is young, the old half goes.
    private func add(_ bytes: Int, to slots: inout Slots) {
        slots.youngBytes += bytes
        guard slots.youngBytes > limitBytes / 2 else { return }
        slots.old = slots.young
        slots.young = [:]
        slots.youngBytes = 0
    }
}
