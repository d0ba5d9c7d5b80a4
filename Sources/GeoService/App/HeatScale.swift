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
    /// Whether it was fitted to the layer, or set by an operator; else it is the one of layers that
    /// are too small to fit one.
    package var isFitted: Bool

    private static let smallDomains = Array(repeating: 4.0, count: Int(TileID.maxZoom) + 1)

    static let unfitted = HeatScale(domains: smallDomains, version: 0, isFitted: false)

    /// The scale that settings ask for.
    ///
    /// - Parameters:
    ///   - snapshot: What the layer has, for a scale that is fitted to it.
    ///   - former: The scale before; the new one has the next version.
    static func scale(
        for heat: HeatSettings, after former: HeatScale, _ snapshot: IndexSnapshot
    ) -> HeatScale {
        let version = former.version + 1
        if let domains = heat.domains {
            return HeatScale(domains: domains, version: version, isFitted: true)
        }
        guard snapshot.count >= leastObjects else {
            return HeatScale(domains: smallDomains, version: version, isFitted: false)
        }
        return fitted(to: snapshot, version: version, radiusPixels: heat.effectiveRadiusPixels)
    }

    /// How many objects a layer must have before a scale is fitted.
    static let leastObjects = 1_000
    /// How many tiles are looked at for each zoom.
    private static let sampledTiles = 8

    /// Fits a scale: for each zoom the greatest of the domains of a few tiles that lie where the
    /// objects are. Deterministic.
    ///
    /// - Complexity: O(objects in the sampled tiles).
    package static func fitted(
        to snapshot: IndexSnapshot, version: Int,
        radiusPixels: Int = HeatLayer.defaultRadiusPixels
    ) -> HeatScale {
        let samples = snapshot.samplePoints(count: sampledTiles)
        let domains = (0...TileID.maxZoom).map { zoom -> Double in
            var tiles = Set<TileID>()
            for point in samples { tiles.insert(TileID(QuadCell(level: zoom, containing: point))) }
            let fits = tiles.compactMap { tile -> Double? in
                let layer = HeatLayer(domain: 1, radiusPixels: radiusPixels)
                let window = PixelWindow(tile: tile, scale: 1)
                let grid = snapshot.density(in: window, layer: layer, filter: .all)
                return DensityField(grid, kernel: layer.kernel(scale: 1)).suggestedDomain()
            }
            return fits.max() ?? 4
        }
        return HeatScale(domains: domains, version: version, isFitted: true)
    }

    /// Whether the density has left this scale by a factor of four at some zoom.
    func isLeft(by other: HeatScale) -> Bool {
        zip(domains, other.domains).contains { $1 >= $0 * 4 || $1 * 4 <= $0 }
    }
}

extension IndexSnapshot {
    /// The weights on a window's pixels and its margin.
    func density(in window: PixelWindow, layer: HeatLayer, filter: EntryFilter) -> DensityGrid {
        density(
            in: window, options: HeatOptions(radiusPixels: layer.radiusPixels), filter: filter)
    }

    /// The weights on a window's pixels and its margin, as they are left by fading, of cells with
    /// enough owners.
    func density(
        in window: PixelWindow, options: HeatOptions, filter: EntryFilter
    ) -> DensityGrid {
        let kernel = DensityKernel(radiusPixels: options.radiusPixels * window.scale)
        var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
        addHeat(zoom: window.zoom, filter: filter, options: options, to: &grid)
        return grid
    }
}

/// Reads and writes layers' colour scales as objects of the system class `_Layer`.
struct HeatScaleStore: Sendable {
    init() {}

    func scale(of layer: String, in reader: borrowing Reader) throws -> HeatScale {
        let document = try reader.object(
            LayerSettingsStore.className, LayerSettingsStore.objectId(of: layer))
        return document?.fields["heat"].flatMap { HeatScale($0) } ?? .unfitted
    }

    func save(
        _ scale: HeatScale, of layer: String, in transaction: inout WriteTransaction
    ) throws {
        _ = try transaction.upsert(
            Document(
                className: LayerSettingsStore.className,
                objectId: LayerSettingsStore.objectId(of: layer), createdAt: .now(),
                acl: AccessList(), fields: ["name": .string(layer), "heat": scale.json]))
    }
}

extension HeatScale {
    /// The form in the store.
    var json: JSONValue {
        [
            "domains": .array(domains.map { .number($0) }), "version": .integer(Int64(version)),
            "fitted": .bool(isFitted),
        ]
    }

    /// Reads the form in the store; nil when it is none.
    fileprivate init?(_ json: JSONValue) {
        guard let domains = json["domains"]?.arrayValue?.compactMap(\.doubleValue),
            domains.count == HeatScale.smallDomains.count,
            domains.allSatisfy({ HeatLayer.domains.contains($0) }),
            let version = json["version"]?.integerValue
        else { return nil }
        self.init(
            domains: domains, version: Int(clamping: version),
            isFitted: json["fitted"]?.boolValue ?? (version > 0))
    }
}
