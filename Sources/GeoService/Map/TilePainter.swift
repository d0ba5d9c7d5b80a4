package import GeoIndex
import GeoStore
package import TileRender

/// How a layer's objects are drawn on a raster tile.
package enum TileStyle: String, CaseIterable, Sendable {
    case clusters, points, heat
}

/// What is made of a tile's objects.
enum TileForm: Hashable, Sendable {
    case picture
    /// Features with all fields but these, which the viewer is not shown.
    case vector(hidden: [String])
    case geoJSON(hidden: [String])
}

/// All that a tile of a layer depends on, apart from the objects.
package struct TileRequest: Hashable, Sendable {
    package var layer: String
    package var tile: TileID
    package var scale: Int
    package var style: TileStyle
    package var ramp: ColorRamp
    package var filter: EntryFilter
    /// What is made of it; other forms than pictures have the style of clusters.
    var form = TileForm.picture
    /// Which heat is meant; plain for other styles.
    package var heat = HeatOptions()
    /// Only what may be told of the objects is drawn, as heat; nil is all of them.
    package var protection: HeatProtection?
    /// The radius of clusters, in pixels of the 256 px tile grid.
    package var clusterRadiusPixels = ClusterOptions.defaultRadiusPixels
    /// The number of the index that it is drawn from; see ``Layer/indexNumber``.
    package var indexNumber: UInt64 = 0

    /// Names a tile of a layer that nobody has set up.
    package init(
        layer: String, tile: TileID, scale: Int, style: TileStyle, ramp: ColorRamp,
        filter: EntryFilter
    ) {
        self.layer = layer
        self.tile = tile
        self.scale = scale
        self.style = style
        self.ramp = ramp
        self.filter = filter
    }

    /// Of what tells most requests apart: colours and heat of one tile are few, and long to hash.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(layer)
        hasher.combine(UInt64(tile.x) << 32 | UInt64(tile.y))
        hasher.combine(UInt64(tile.zoom) << 8 | UInt64(truncatingIfNeeded: scale))
        hasher.combine(style)
        hasher.combine(indexNumber)
        if !filter.keepsAll { hasher.combine(filter) }
    }
}

extension TileRequest {
    /// The request as a layer's settings have it.
    ///
    /// - Parameters:
    ///   - halfLifeMinutes: The half-life of heat in the place of the layer's.
    ///   - now: From when on heat fades.
    func asked(
        of layer: Layer, halfLifeMinutes: Int64? = nil, at now: Timestamp
    ) -> TileRequest {
        var request = self
        request.clusterRadiusPixels = layer.settings.defaultClusterRadiusPixels
        // Of other styles one tile is the same at all times.
        if style == .heat {
            request.heat = layer.heatOptions(halfLifeMinutes: halfLifeMinutes, at: now)
        }
        request.indexNumber = layer.indexNumber
        return request
    }

    /// How clusters are made for it.
    fileprivate var clusterOptions: ClusterOptions {
        .possible(zoom: tile.zoom, radiusPixels: clusterRadiusPixels)
    }
}

/// What a tile is made from, and the keys of all places that it depends on.
protocol TileContent {
    /// The hash of all that shows.
    var hash: UInt64 { get }
    /// While the sums over these ranges stay as they are, so does the content.
    var dependencies: [ClosedRange<UInt64>] { get }
}

/// What a picture is drawn from.
package struct TileDrawing: TileContent {
    /// The hash of what is drawn: the tile's tag.
    package var hash: UInt64
    /// While the sums over these ranges stay as they are, so does the drawing.
    package var dependencies: [ClosedRange<UInt64>]
    /// Draws it.
    package var image: () -> IndexedImage
}

/// Draws tiles from an index. Holds the sprites, drawn once.
package final class TilePainter: Sendable {
    private let style: KindStyle
    /// Another style is another one.
    let styleHash: UInt64
    private let clusterLayer: ClusterLayer
    private let pointLayer: PointLayer

    /// Draws the sprites.
    package init(_ style: KindStyle = .standard) throws {
        self.style = style
        styleHash = style.fingerprint
        clusterLayer = try ClusterLayer(style)
        pointLayer = try PointLayer(style)
    }

    /// Gathers what a tile is drawn from.
    ///
    /// - Parameter window: What is drawn in the place of the tile, at its zoom and scale.
    package func drawing(
        of request: TileRequest, in window: PixelWindow? = nil, from snapshot: IndexSnapshot,
        scale: HeatScale
    ) -> TileDrawing {
        let window = window ?? PixelWindow(tile: request.tile, scale: request.scale)
        var drawing =
            switch request.style {
            case .clusters: clusters(window, request, snapshot)
            case .points: points(window, request, snapshot)
            case .heat: heat(window, request, snapshot, scale)
            }
        var hash = StableHash()
        hash.combine(drawing.hash)
        if request.style != .heat { hash.combine(styleHash) }
        hash.combine(bytes: request.style.rawValue.utf8)
        hash.combine(UInt64(request.scale))
        hash.combine(TileRevision.number)
        drawing.hash = hash.value
        return drawing
    }

    private func clusters(_ window: PixelWindow, _ request: TileRequest, _ snapshot: IndexSnapshot)
        -> TileDrawing
    {
        let margin = ClusterLayer.marginPixels * window.scale
        let area = WorldWindow(window, marginPixels: margin)
        let set = snapshot.clusters(
            in: area, options: request.clusterOptions, filter: request.filter)
        let marks = (0..<set.count).map { index in
            let details = snapshot.details(of: index, in: set, filter: request.filter)
            return ClusterMark(
                place: set.points[index], count: set.counts[index],
                slot: style.slot(forKind: details.dominantKind))
        }
        var hash = StableHash()
        for mark in marks {
            hash.combine(MortonKey(mark.place).bits)
            hash.combine(UInt64(mark.count) << 8 | UInt64(mark.slot))
        }
        return TileDrawing(hash: hash.value, dependencies: set.dependencies) {
            [clusterLayer] in clusterLayer.draw(marks, in: window)
        }
    }

    private func points(_ window: PixelWindow, _ request: TileRequest, _ snapshot: IndexSnapshot)
        -> TileDrawing
    {
        var grid = PointGrid(window: window)
        let slots = snapshot.kindNames.map { style.slot(forKind: $0) }
        let area = WorldWindow(window, marginPixels: grid.marginPixels)
        let level = UInt8(32 - window.pixelShift)
        snapshot.forEachChunk(in: area, level: level, filter: request.filter) {
            xs, ys, kinds, _ in grid.add(xs: xs, ys: ys, kinds: kinds, slots: slots.span)
        }
        return TileDrawing(
            hash: grid.fingerprint, dependencies: area.coarseKeyRanges(level: level)
        ) { [pointLayer] in pointLayer.draw(grid) }
    }

    private func heat(
        _ window: PixelWindow, _ request: TileRequest, _ snapshot: IndexSnapshot,
        _ scale: HeatScale
    ) -> TileDrawing {
        let domain = scale.domains[Int(window.zoom)]
        let options = request.heat
        let layer = HeatLayer(
            domain: domain, ramp: request.ramp, radiusPixels: options.radiusPixels)
        let grid =
            request.protection.map {
                snapshot.density(in: window, radiusPixels: options.radiusPixels, $0)
            } ?? snapshot.density(in: window, options: options, filter: request.filter)
        var hash = StableHash()
        hash.combine(domain.bitPattern)
        hash.combine(UInt64(options.radiusPixels))
        hash.combine(bytes: request.ramp.name.utf8)
        let area = WorldWindow(window, marginPixels: grid.marginPixels)
        let level =
            request.protection == nil
            ? options.edgeLevel(zoom: window.zoom, pixelLevel: UInt8(32 - window.pixelShift))
            : HeatProtection.level(zoom: window.zoom)
        let dependencies = area.coarseKeyRanges(level: level)
        guard options.decay != nil || request.protection?.decay != nil else {
            hash.combine(grid.fingerprint)
            return TileDrawing(hash: hash.value, dependencies: dependencies) { layer.draw(grid) }
        }
        // Fading moves the weights every minute, but seldom a colour: the tag is the picture's.
        let image = layer.draw(grid)
        hash.combine(GridFingerprint.of(image.pixels.span))
        return TileDrawing(hash: hash.value, dependencies: dependencies) { image }
    }
}
