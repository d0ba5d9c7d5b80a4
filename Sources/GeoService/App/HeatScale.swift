package import GeoIndex
import GeoStore
import JSONText
import TileRender

/// The density at the top of a layer's colour scale, for each zoom.
///
/// A scale is fitted once and then stays, so that a colour means the same today and tomorrow. It is
/// fitted to the heat that the layer shows when a request asks for no half-life of its own: with
/// `heat.halfLife` to what fading leaves of the objects (``HeatSettings/fittingOptions(_:at:)``).
package struct HeatScale: Hashable, Sendable {
    /// The domain by zoom, in objects of weight 1 on one pixel at scale 1; powers of two.
    package var domains: [Double]
    /// Grows with every change; 0 is the scale of a layer that is too small to fit one.
    package var version: Int
    /// Whether it was fitted to the layer, or set by an operator; else it is the one of layers that
    /// are too small to fit one.
    package var isFitted: Bool
    /// The half-life with which it was fitted, in minutes; nil is without fading.
    package var halfLifeMinutes: Int64?

    private static let smallDomains = Array(repeating: 4.0, count: Int(TileID.maxZoom) + 1)

    static let unfitted = HeatScale(domains: smallDomains, version: 0, isFitted: false)

    /// The scale that settings ask for.
    ///
    /// - Parameters:
    ///   - snapshot: What the layer has, for a scale that is fitted to it.
    ///   - former: The scale before; the new one has the next version.
    static func scale(
        for heat: HeatSettings, after former: HeatScale, _ snapshot: IndexSnapshot,
        at now: Timestamp
    ) -> HeatScale {
        let version = former.version + 1
        if let domains = heat.domains {
            return HeatScale(domains: domains, version: version, isFitted: true)
        }
        guard snapshot.count >= leastObjects else {
            return HeatScale(domains: smallDomains, version: version, isFitted: false)
        }
        return fitted(
            to: snapshot, version: version, options: heat.fittingOptions(snapshot, at: now))
    }

    /// How many objects a layer must have before a scale is fitted.
    static let leastObjects = 1_000
    /// How many tiles are looked at for each zoom.
    private static let sampledTiles = 8

    /// Fits a scale: for each zoom the greatest of the domains of a few tiles that lie where the
    /// weights are. Deterministic.
    ///
    /// - Parameter options: What the heat is that is shown.
    /// - Complexity: O(objects in the sampled tiles); with fading, O(objects).
    package static func fitted(
        to snapshot: IndexSnapshot, version: Int, options: HeatOptions = HeatOptions()
    ) -> HeatScale {
        let samples = snapshot.heatSamplePoints(count: sampledTiles, options: options)
        let kernel = DensityKernel(radiusPixels: options.radiusPixels)
        let domains = (0...TileID.maxZoom).map { zoom -> Double in
            var tiles = Set<TileID>()
            for point in samples { tiles.insert(TileID(QuadCell(level: zoom, containing: point))) }
            let fits = tiles.compactMap { tile -> Double? in
                let window = PixelWindow(tile: tile, scale: 1)
                let grid = snapshot.density(in: window, options: options, filter: .all)
                return DensityField(grid, kernel: kernel).suggestedDomain()
            }
            return fits.max() ?? 4
        }
        return HeatScale(
            domains: domains, version: version, isFitted: true,
            halfLifeMinutes: options.decay?.halfLifeMinutes)
    }

    /// Whether the density has left this scale by a factor of four at some zoom.
    func isLeft(by other: HeatScale) -> Bool {
        zip(domains, other.domains).contains { $1 >= $0 * 4 || $1 * 4 <= $0 }
    }
}

extension HeatSettings {
    /// The heat that a scale is fitted to.
    ///
    /// Ages are counted from the layer's newest object and not from the clock: a scale is a
    /// function of the objects alone, the same on every node and whenever it is fitted, and does
    /// not follow a layer that sleeps down to nothing. Where objects have times to come, ages are
    /// counted from the last whole half-life of the clock since 1970: what came after it counts in
    /// full, which is at most twice too much.
    func fittingOptions(_ snapshot: IndexSnapshot, at now: Timestamp) -> HeatOptions {
        let decay = halfLifeMinutes.map { minutes in
            let halfLife = Int64(minutes)
            var from = snapshot.timeRange?.upperBound ?? now.milliseconds
            if from > now.milliseconds {
                let span = halfLife * 60_000
                from = now.milliseconds / span * span
            }
            return TimeDecay(halfLifeMinutes: halfLife, nowMilliseconds: from)
        }
        return HeatOptions(radiusPixels: effectiveRadiusPixels, decay: decay)
    }
}

extension IndexSnapshot {
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

extension IndexSnapshot {
    /// The weights on a window's pixels and its margin of which something may be told.
    func density(
        in window: PixelWindow, radiusPixels: Int, _ protection: HeatProtection
    ) -> DensityGrid {
        let kernel = DensityKernel(radiusPixels: radiusPixels * window.scale)
        var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
        addProtectedHeat(protection, to: &grid)
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
        var members: JSONObject = [
            "domains": .array(domains.map { .number($0) }), "version": .integer(Int64(version)),
            "fitted": .bool(isFitted),
        ]
        if let halfLifeMinutes { members["halfLifeMinutes"] = .integer(halfLifeMinutes) }
        return .object(members)
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
            isFitted: json["fitted"]?.boolValue ?? (version > 0),
            halfLifeMinutes: json["halfLifeMinutes"]?.integerValue)
    }
}
