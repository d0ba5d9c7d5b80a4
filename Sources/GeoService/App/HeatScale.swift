package import GeoIndex
import GeoStore
import JSONText
import TileRender

/// The density at the top of a layer's colour scale, for each zoom.
///
/// A scale is fitted once and then stays, so that a colour means the same today and tomorrow.
package struct HeatScale: Hashable, Sendable {
    /// The domain by zoom, in objects of weight 1 on one pixel at scale 1; powers of two.
    package var domains: [Double]
    /// Grows with every change; 0 is the scale of a layer that is too small to fit one.
    package var version: Int

    static let unfitted = HeatScale(
        domains: Array(repeating: 4, count: Int(TileID.maxZoom) + 1), version: 0)

    /// How many objects a layer must have before a scale is fitted.
    static let leastObjects = 1_000
    /// How many tiles are looked at for each zoom.
    private static let sampledTiles = 8

    /// Fits a scale: for each zoom the greatest of the domains of a few tiles that lie where the
    /// objects are. Deterministic.
    ///
    /// - Complexity: O(objects in the sampled tiles).
    package static func fitted(to snapshot: IndexSnapshot, version: Int) -> HeatScale {
        let samples = snapshot.samplePoints(count: sampledTiles)
        let domains = (0...TileID.maxZoom).map { zoom -> Double in
            var tiles = Set<TileID>()
            for point in samples { tiles.insert(TileID(QuadCell(level: zoom, containing: point))) }
            let fits = tiles.compactMap { tile -> Double? in
                let layer = HeatLayer(domain: 1)
                let window = PixelWindow(tile: tile, scale: 1)
                let grid = snapshot.density(in: window, layer: layer, filter: .all)
                return DensityField(grid, kernel: layer.kernel(scale: 1)).suggestedDomain()
            }
            return fits.max() ?? 4
        }
        return HeatScale(domains: domains, version: version)
    }

    /// Whether the density has left this scale by a factor of four at some zoom.
    func isLeft(by other: HeatScale) -> Bool {
        zip(domains, other.domains).contains { $1 >= $0 * 4 || $1 * 4 <= $0 }
    }
}

extension IndexSnapshot {
    /// The weights on a window's pixels and its margin.
    func density(in window: PixelWindow, layer: HeatLayer, filter: EntryFilter) -> DensityGrid {
        var grid = layer.grid(for: window)
        addWeights(to: &grid, filter: filter)
        return grid
    }
}

/// Reads and writes layers' colour scales as objects of the system class `_Layer`.
struct HeatScaleStore: Sendable {
    private static let className = "_Layer"

    init() {}

    /// A scale's object has a fixed id for each layer: a hash of its name.
    private static func objectId(of layer: String) -> String {
        var hash = StableHash()
        hash.combine(bytes: layer.utf8)
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    func scale(of layer: String, in reader: borrowing Reader) throws -> HeatScale {
        let document = try reader.object(
            HeatScaleStore.className, HeatScaleStore.objectId(of: layer))
        guard let heat = document?.fields["heat"]?.objectValue,
            let domains = heat["domains"]?.arrayValue?.compactMap(\.doubleValue),
            domains.count == HeatScale.unfitted.domains.count,
            domains.allSatisfy({ (0x1p-20...0x1p40).contains($0) }),
            let version = heat["version"]?.integerValue
        else { return .unfitted }
        return HeatScale(domains: domains, version: Int(clamping: version))
    }

    func save(
        _ scale: HeatScale, of layer: String, in transaction: inout WriteTransaction
    ) throws {
        let now = Timestamp.now()
        _ = try transaction.upsert(
            Document(
                className: HeatScaleStore.className,
                objectId: HeatScaleStore.objectId(of: layer), createdAt: now, acl: AccessList(),
                fields: [
                    "name": .string(layer),
                    "heat": [
                        "domains": .array(scale.domains.map { .number($0) }),
                        "version": .integer(Int64(scale.version)),
                    ],
                ]))
    }
}
