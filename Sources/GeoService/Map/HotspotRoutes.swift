import GeoIndex
import GeoStore
import JSONText

/// Where a layer is lively: the maxima of its heat, and the pinning of them.
struct HotspotRoutes: Sendable {
    /// How many hotspots one answer has at most.
    static let limits = 1...100
    static let defaultLimit = 10
    /// The longest window: ten years.
    static let windowsMinutes: ClosedRange<Int64> = 1...5_256_000

    private let catalog: LayerCatalog
    private let objects: ObjectReader
    private let viewers: Viewers
    private let access: PinAccess
    private let backgrounds = HotspotBackgrounds()

    init(catalog: LayerCatalog, objects: ObjectReader, viewers: Viewers, access: PinAccess) {
        self.catalog = catalog
        self.objects = objects
        self.viewers = viewers
        self.access = access
    }

    func register(in router: inout Router) {
        // Blurring takes milliseconds, and pins are read from the store: worker threads do it.
        viewers.add(.get, "/hotspots/{layer}", heatIsEnough: true, to: &router) {
            request, viewer in
            objects.run(request) { try list(request, viewer).seen(by: viewer) }
        }
        viewers.add(.post, "/hotspots/{layer}/{id}/pin", heatIsEnough: true, to: &router) {
            request, viewer in
            try access.require(request, viewer)
            return objects.run(request) { try pin(request) }
        }
    }

    // MARK: - The list

    private func list(_ request: Request, _ viewer: Viewer) throws -> Response {
        let question = try HotspotQuestion(
            request, viewer, catalog, objects, own: ["bbox", "zoom", "limit"])
        let query = question.query
        guard let box = try query.box("bbox") else {
            throw Problem.parameter("bbox", "is missing: it is west,south,east,north in degrees")
        }
        guard let zoom = try query.integer("zoom", in: 0...Int(TileID.maxZoom)) else {
            throw Problem.parameter(
                "zoom", "is missing: it is a whole number from 0 to \(TileID.maxZoom)")
        }
        let limit = try query.integer("limit", in: Self.limits) ?? Self.defaultLimit
        let found = try question.hotspots(
            in: WorldWindow(box), zoom: UInt8(zoom), limit: limit, backgrounds)
        let pins = try HotspotPins.pins(
            of: found.map(\.hotspot.id), of: question.layer.name, to: viewer, objects)
        var json = JSONWriter()
        FeatureWriter.begin(&json)
        for (listed, pin) in zip(found, pins) {
            FeatureWriter.hotspot(listed, pin: pin, to: &json)
        }
        json.endArray()
        json.endObject()
        return .tagged(.geoJSON, json.bytes)
    }

    // MARK: - Pinning

    /// Pins what everybody sees: what only some may read is not to be published by it.
    private func pin(_ request: Request) throws -> Response {
        try viewers.permissions.check(
            request.pathValue("layer") ?? "", for: .anonymous, heatIsEnough: true)
        let question = try HotspotQuestion(
            request, .anonymous, catalog, objects, own: [], isMap: false)
        let layer = question.layer.name
        let number = request.pathNumber("id").map { UInt64($0) } ?? 0
        guard let id = HotspotID(number),
            let listed = try question.hotspots(
                in: WorldWindow(id.cell), zoom: id.zoom, limit: 1, backgrounds
            ).first
        else {
            throw Problem(
                .notFound,
                "there is no hotspot \(request.pathValue("id") ?? "") in \(layer) (any more): "
                    + "GET /hotspots/\(layer) lists those of now")
        }
        let (document, isNew) = try HotspotPins.pin(listed, of: layer, in: objects.store)
        let links = ParseLinks(
            request: request, applicationID: request.header("x-parse-application-id") ?? "")
        var json = JSONWriter()
        ObjectWriter(links: links).write(document, to: &json)
        var response = Response(isNew ? .created : .ok, .json, json.bytes)
        response.cacheControl = "no-store"
        response.headers.append(
            HeaderField("Location", links.object(HotspotPins.className, document.objectId)))
        return response
    }
}

/// What the calls about hotspots have in common: a layer, its heat, and spans of time.
private struct HotspotQuestion {
    let layer: Layer
    let query: MapQuery
    private let objects: ObjectReader
    private let now: Timestamp
    private let options: HeatOptions
    /// What is public of the heat of a class that the viewer may not find, and of the window before;
    /// nil where he sees the objects.
    private let protected: (now: ProtectedHeat, before: ProtectedHeat?)?
    /// The last so many minutes; nil is all the time.
    private let windowMinutes: Int64?

    init(
        _ request: Request, _ viewer: Viewer, _ catalog: LayerCatalog,
        _ objects: ObjectReader, own: [String], isMap: Bool = true
    ) throws(Problem) {
        self.objects = objects
        now = catalog.now()
        layer = try catalog.layer(for: request)
        query = try MapQuery(
            request, viewer, own: own + ["window", "halfLife"], isMap: isMap, now: now)
        options = layer.heatOptions(
            halfLifeMinutes: try query.span("halfLife", in: TimeDecay.halfLivesMinutes), at: now)
        windowMinutes = try query.span("window", in: HotspotRoutes.windowsMinutes)
        protected =
            objects.permissions.isHeatProtected(of: layer, for: viewer)
            ? try HotspotQuestion.protectedHeat(of: layer, query) : nil
    }

    private static func protectedHeat(
        of layer: Layer, _ query: MapQuery
    ) throws(Problem) -> (now: ProtectedHeat, before: ProtectedHeat?) {
        let windows = HotspotRoutes.windowsMinutes
        guard let hours = try ProtectedHeat.hours(query, "window", in: windows) else {
            return (try ProtectedHeat(layer, query), nil)
        }
        return (
            try ProtectedHeat(layer, query, windowHours: hours),
            try ProtectedHeat(layer, query, windowHours: hours, windowsAgo: 1)
        )
    }

    /// What is public of the hotspots of a window: whole cells, counts of shares, no kinds. Blocks.
    private func protectedHotspots(
        _ heat: (now: ProtectedHeat, before: ProtectedHeat?), in window: WorldWindow, zoom: UInt8,
        limit: Int, _ backgrounds: HotspotBackgrounds
    ) throws -> [ListedHotspot] {
        guard zoom <= HeatProtection.finestZoom else {
            throw Problem.parameter(
                query.text("bbox") == nil ? "id" : "zoom",
                "is of zoom \(zoom); hotspots of a layer of which only the heat is public are those "
                    + "of zoom 0 to \(HeatProtection.finestZoom)")
        }
        let snapshot = objects.permissions.layers.views.lookAtAll(of: layer).current(at: now)
        var question = HotspotQuery(
            window: window, zoom: zoom, limit: limit,
            options: HeatOptions(radiusPixels: layer.settings.heat.effectiveRadiusPixels))
        question.protection = heat.now.protection
        let background = backgrounds.background(of: question, layer, snapshot)
        var before = question
        before.protection = heat.before?.protection
        return try found(question, snapshot, background).map { hotspot in
            ListedHotspot(
                hotspot: hotspot, count: snapshot.members(of: hotspot, question).count, kinds: [],
                countBefore: heat.before.map { _ in
                    snapshot.members(of: hotspot, before).count
                },
                radiusMeters: ListedHotspot.radiusMeters(at: hotspot.point, question))
        }
    }

    /// The hotspots of a window with all that is listed of them. Blocks.
    func hotspots(
        in window: WorldWindow, zoom: UInt8, limit: Int, _ backgrounds: HotspotBackgrounds
    ) throws -> [ListedHotspot] {
        if let protected {
            return try protectedHotspots(
                protected, in: window, zoom: zoom, limit: limit, backgrounds)
        }
        return try objects.ask(layer, query) { snapshot, filter in
            let query = HotspotQuery(
                window: window, zoom: zoom, limit: limit,
                filter: cut(filter, toWindowsAgo: 0), options: options)
            let background = backgrounds.background(of: query, layer, snapshot)
            var before = query
            before.filter = cut(filter, toWindowsAgo: 1)
            return try found(query, snapshot, background).map { hotspot in
                let (count, kinds) = snapshot.members(of: hotspot, query)
                return ListedHotspot(
                    hotspot: hotspot, count: count, kinds: kinds,
                    countBefore: windowMinutes.map { _ in
                        snapshot.members(of: hotspot, before).count
                    },
                    radiusMeters: ListedHotspot.radiusMeters(at: hotspot.point, query))
            }
        }
    }

    private func found(
        _ query: HotspotQuery, _ snapshot: IndexSnapshot, _ background: HotspotBackground
    ) throws(Problem) -> [Hotspot] {
        do {
            return try snapshot.hotspots(query, background: background)
        } catch {
            // One hotspot is named by its id, others by a box.
            guard self.query.text("bbox") != nil else {
                throw .parameter(
                    "id",
                    "names a place at zoom \(query.zoom) whose surroundings are too much: "
                        + error.description)
            }
            throw .parameter(
                "bbox",
                "is too much at zoom \(query.zoom): \(error); ask for a smaller bbox or a "
                    + "lower zoom")
        }
    }

    /// A filter cut to the window, or to the one before it. The last window takes in the minute
    /// that has begun, as `since` does.
    private func cut(_ whole: EntryFilter, toWindowsAgo ago: Int64) -> EntryFilter {
        guard let windowMinutes else { return whole }
        let minute: Int64 = 60_000
        let now = now.milliseconds / minute
        let since = (now - (ago + 1) * windowMinutes) * minute
        let until = ago == 0 ? (now + 1) * minute : (now - ago * windowMinutes) * minute
        var filter = whole
        filter.since = max(filter.since ?? since, since)
        filter.until = min(filter.until ?? until, until)
        return filter
    }
}

/// The backgrounds of layers' newest states, by what was asked: making one looks at all objects.
final class HotspotBackgrounds: Sendable {
    private struct Key: Hashable {
        var layer: String
        /// One for each view, so that viewers do not push out each other's.
        var lineage: UInt64
        var zoom: UInt8
        var filter: EntryFilter
        var options: HeatOptions
        var protection: HeatProtection?
    }

    private struct Entry {
        /// With what has expired taken out, two states of one generation have other counts.
        var generation: UInt64
        var count: Int
        var background: HotspotBackground
    }

    /// What an entry is taken to need, with its key.
    private static let entryBytes = 1_024
    private let known = TwoGenerationCache<Key, Entry>(limitBytes: 1 << 20)

    /// The background of a query's objects.
    func background(
        of query: HotspotQuery, _ layer: Layer, _ snapshot: IndexSnapshot
    ) -> HotspotBackground {
        // A `where` may be asked before all of its verdicts are known.
        if query.filter.test != nil {
            return snapshot.hotspotBackground(
                zoom: query.zoom, filter: query.filter, options: query.options)
        }
        let key = Key(
            layer: layer.name, lineage: snapshot.lineage, zoom: query.zoom, filter: query.filter,
            options: query.options, protection: query.protection)
        if let entry = known.find(key), entry.generation == snapshot.generation,
            entry.count == snapshot.count
        {
            return entry.background
        }
        let background =
            query.protection.map {
                snapshot.hotspotBackground(zoom: query.zoom, protection: $0)
            }
            ?? snapshot.hotspotBackground(
                zoom: query.zoom, filter: query.filter, options: query.options)
        known.keep(
            Entry(
                generation: snapshot.generation, count: snapshot.count,
                background: background),
            as: key, bytes: Self.entryBytes + (query.filter.kinds?.count ?? 0) * 160)
        return background
    }
}
