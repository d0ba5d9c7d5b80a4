import GeoIndex
import GeoStore
import JSONText
import TileRender

/// What the tiles of an archive are drawn from: one state of one layer, as one viewer sees it.
///
/// The state never changes, so that all tiles of an archive agree however long they take. Fields of
/// single objects are read from the store while their tile is written: those may be newer.
struct ArchiveSource: Sendable {
    let snapshot: IndexSnapshot
    let filter: EntryFilter
    /// How far from an object something of it may show, in pixels of the 256 px tile grid, by zoom.
    let reachPixels: @Sendable (UInt8) -> Int
    /// Makes what draws, for one thread.
    let makeDraw: @Sendable () throws -> OrderedDrawing.Draw
    /// The hash of all that the tiles depend on.
    let fingerprint: UInt64
    /// What the archive says about itself beside its tiles.
    let description: ArchiveDescription
}

extension ArchiveSource {
    /// The cells of this many pixels have one point each, somewhere in them.
    private static func cellPixels(zoom: UInt8, radiusPixels: Int) -> Int {
        let options = ClusterOptions.possible(zoom: zoom, radiusPixels: radiusPixels)
        return 1 << max(0, Int(zoom) + 8 - Int(options.level))
    }

    /// How many objects are looked at for the names of their fields: a reader may show no others.
    private static let sampleCount = 4_096

    /// How hard vector tiles are packed: as small as it gets for little more time than the fastest.
    private static let gzipLevel = 6

    /// The source of an order. Blocks when there is a `where`.
    ///
    /// - Throws: ``Problem``; what reading the store throws.
    init(
        _ order: ArchiveOrder, of layer: Layer, objects: ObjectReader, catalog: LayerCatalog,
        painter pictures: TilePainter
    ) throws {
        let query = order.query
        let permissions = objects.permissions
        let isProtected = order.isHeat && permissions.isHeatProtected(of: layer, for: query.viewer)
        if !isProtected { try permissions.check(layer.name, for: query.viewer) }
        var hash = StableHash()
        hash.combine(bytes: order.text.utf8)
        hash.combine(TileRevision.number)
        if isProtected {
            filter = .all
            snapshot = catalog.views.lookAtAll(of: layer).current(at: query.now)
        } else {
            (snapshot, filter) = try ArchiveSource.state(of: layer, query, objects)
        }
        for span in [query.filter.since, query.filter.until] {
            hash.combine(UInt64(bitPattern: span ?? .min))
        }
        let fields = layer.settings.fields
        switch order.tiles {
        case .vector:
            let painter = VectorTilePainter(layer)
            let radius = layer.settings.defaultClusterRadiusPixels
            hash.combine(UInt64(radius))
            hash.combine(bytes: "\(fields)".utf8)
            reachPixels = { zoom in
                Int(VectorTileGrid.bufferUnits) * PixelWindow.tileSizePixels
                    / Int(VectorTileGrid.extent)
                    + ArchiveSource.cellPixels(zoom: zoom, radiusPixels: radius)
            }
            makeDraw = { [snapshot, filter] in
                let deflater = try Deflater(level: ArchiveSource.gzipLevel)
                return { tile in
                    try painter.tile(tile, from: snapshot, filter: filter) { ids in
                        try objects.shown(
                            layer.name, fields, ids: ids, to: query.viewer,
                            omitting: FeatureWriter.ownNames)
                    }.map { deflater.gzip($0) }
                }
            }
        case .raster(let style, let ramp, let scale, let halfLife):
            var request = TileRequest(
                layer: layer.name, tile: TileID(QuadCell(level: 0, key: 0)), scale: scale,
                style: style, ramp: ramp, filter: filter
            ).asked(of: layer, halfLifeMinutes: halfLife, at: query.now)
            var heat = layer.heatScale
            if isProtected {
                let protected = try ProtectedHeat(layer, query)
                request.heat = HeatOptions(
                    radiusPixels: layer.settings.heat.effectiveRadiusPixels)
                request.protection = protected.protection
                heat = protected.scale
            }
            hash.combine(bytes: "\(request.heat) \(request.protection as Any)".utf8)
            hash.combine(UInt64(request.clusterRadiusPixels))
            if style == .heat { for domain in heat.domains { hash.combine(domain.bitPattern) } }
            if style != .heat { hash.combine(pictures.styleHash) }
            let drawing = RasterDrawing(
                request: request, snapshot: snapshot, scale: heat, painter: pictures)
            reachPixels = drawing.reachPixels
            makeDraw = drawing.makeDraw
        }
        let sum = snapshot.sum(over: [0...UInt64.max], filter: filter)
        for word in [UInt64(sum.count), sum.shape, sum.content] { hash.combine(word) }
        fingerprint = hash.value
        description = ArchiveDescription(
            layer, order, extent: snapshot.extent,
            properties: order.type == .png
                ? [:]
                : try TileJSONRoutes.properties(
                    layer, snapshot, to: query.viewer, from: objects,
                    sampleCount: ArchiveSource.sampleCount))
    }

    /// The state that a query asks for, and the filter that holds its `where`.
    private static func state(
        of layer: Layer, _ query: MapQuery, _ objects: ObjectReader
    ) throws -> (IndexSnapshot, EntryFilter) {
        // The whole layer is judged at once, and what was found is kept: verdicts of one question
        // would not outlast it.
        let (snapshot, kept) = try objects.ask(layer, query) { snapshot, filter in
            (
                snapshot,
                query.condition == nil
                    ? nil : Set(snapshot.objectKeys(in: .box(.world), filter: filter))
            )
        }
        var filter = query.filter
        if let kept, let condition = query.condition {
            filter.test = ObjectTest(name: condition.name) { kept.contains($0) }
        }
        return (snapshot, filter)
    }
}

/// Draws the pictures of an archive.
private struct RasterDrawing: Sendable {
    let request: TileRequest
    let snapshot: IndexSnapshot
    let scale: HeatScale
    let painter: TilePainter

    func reachPixels(zoom: UInt8) -> Int {
        switch request.style {
        case .clusters:
            let options = ClusterOptions.possible(
                zoom: zoom, radiusPixels: request.clusterRadiusPixels)
            return ClusterLayer.marginPixels + 1 << max(0, Int(zoom) + 8 - Int(options.level))
        case .points: return PointLayer.marginPixels(zoom: zoom, scale: 1)
        case .heat: return DensityKernel(radiusPixels: request.heat.radiusPixels).marginPixels + 1
        }
    }

    func makeDraw() throws -> OrderedDrawing.Draw {
        let empty = EmptyTile.png(scale: request.scale)
        return { tile in
            var request = request
            request.tile = tile
            let drawing = painter.drawing(of: request, from: snapshot, scale: scale)
            let picture = try PNGEncoder().encode(drawing.image())
            return picture == empty ? nil : picture
        }
    }
}
