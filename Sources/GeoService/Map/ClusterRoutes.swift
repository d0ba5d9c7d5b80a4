import GeoIndex
import GeoStore
import JSONText

/// Clusters of a layer in a box, and what is in one of them.
struct ClusterRoutes: Sendable {
    /// How many features one answer has at most, and unless it is asked for more.
    static let limits = 1...100_000
    static let defaultLimit = 10_000
    static let leafLimits = 1...10_000

    let catalog: LayerCatalog
    let objects: ObjectReader
    let viewers: Viewers

    func register(in router: inout Router) {
        viewers.add(.get, "/clusters/{layer}", to: &router) { try list($0, $1) }
        // A cluster may have all objects of a layer: its members are gathered on worker threads.
        viewers.add(.get, "/clusters/{layer}/{id}/children", to: &router) { request, viewer in
            objects.run(request) { try children(request, viewer).seen(by: viewer) }
        }
        viewers.add(.get, "/clusters/{layer}/{id}/leaves", to: &router) { request, viewer in
            objects.run(request) { try leaves(request, viewer).seen(by: viewer) }
        }
        viewers.add(.get, "/clusters/{layer}/{id}/expansion-zoom", to: &router) {
            request, viewer in
            objects.run(request) { try expansionZoom(request, viewer).seen(by: viewer) }
        }
    }

    // MARK: - A box

    private func list(_ request: Request, _ viewer: Viewer) throws -> Action {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(
            request, viewer, own: ["bbox", "zoom", "radius", "limit"], now: now)
        guard let box = try query.box("bbox") else {
            throw Problem.parameter("bbox", "is missing: it is west,south,east,north in degrees")
        }
        guard let zoom = try query.integer("zoom", in: 0...Int(TileID.maxZoom)) else {
            throw Problem.parameter(
                "zoom", "is missing: it is a whole number from 0 to \(TileID.maxZoom)")
        }
        let options = try ClusterRoutes.options(query, of: layer, zoom: zoom)
        let limit =
            try query.integer("limit", in: ClusterRoutes.limits) ?? ClusterRoutes.defaultLimit
        let window = WorldWindow(box)
        // What a signed-in viewer sees may have to be put together first.
        let isQuick =
            options.isQuick(in: window) && query.filter.keepsAll && viewer.isAnonymous
        let answer = { @Sendable [objects] () throws -> Answer in
            try objects.ask(layer, query) { snapshot, filter in
                if !isQuick {
                    try ClusterRoutes.refuseTooWide(window, options, snapshot, limit: limit)
                }
                let most = max(ClusterRoutes.countedLimit, limit)
                let set = snapshot.clusters(
                    in: window, options: options, filter: filter, atMost: most)
                guard set.count <= limit else {
                    let count = set.count > most ? "more than \(most)" : "\(set.count)"
                    throw ClusterRoutes.tooMany(count, limit: limit)
                }
                return Answer(set, of: layer, to: viewer, snapshot, filter: filter)
            }
        }
        guard isQuick else {
            return objects.run(request) { [objects] in
                try Answer.response(to: request, objects, from: answer).seen(by: viewer)
            }
        }
        let found = try answer()
        if request.has(found.tag) { return .reply(.notModified(found.tag)) }
        // Clusters alone need no documents.
        if found.singles.isEmpty {
            return .reply(found.response(ShownObjects(count: 0), isTrue: true))
        }
        return objects.run { [objects] in
            try Answer.response(to: request, objects, from: answer, first: found)
        }
    }

    /// Cells that one request clusters at most: a second or two of work.
    private static let cellLimit = 500_000
    /// Beyond this a count of clusters that are too many is not made to the end.
    private static let countedLimit = 50_000
    /// The most cells that a cluster can own: all that are at most three away.
    private static let cellsPerCluster = 49

    /// Refuses a box before its clusters are made when they are certainly too many.
    private static func refuseTooWide(
        _ window: WorldWindow, _ options: ClusterOptions, _ snapshot: IndexSnapshot, limit: Int
    ) throws(Problem) {
        let most = min(cellLimit, limit * cellsPerCluster)
        // There are no more occupied cells than objects, which are counted at once.
        if snapshot.sum(over: window.coarseKeyRanges(level: options.level)).count <= most { return }
        let cells = snapshot.occupiedCells(in: window, options: options, atMost: most)
        guard cells > most else { return }
        throw tooMany("more than \(most / cellsPerCluster)", limit: limit)
    }

    private static func tooMany(_ count: String, limit: Int) -> Problem {
        .parameter(
            "limit",
            "is \(limit), but the box holds \(count) clusters: ask for a lower zoom, a smaller bbox "
                + "or a greater limit (at most \(limits.upperBound))")
    }

    /// Clusters with their details, tagged by the list itself.
    private struct Answer: Sendable {
        let layer: Layer
        let viewer: Viewer
        let set: ClusterSet
        let details: [ClusterDetails]
        /// Of every cluster; empty when the layer has none.
        let aggregates: [[AggregateValue]]
        let tag: EntityTag

        init(
            _ set: ClusterSet, of layer: Layer, to viewer: Viewer, _ snapshot: IndexSnapshot,
            filter: EntryFilter
        ) {
            self.set = set
            self.layer = layer
            self.viewer = viewer
            let fields = layer.settings.fields
            let details = (0..<set.count).map {
                snapshot.details(of: $0, in: set, filter: filter)
            }
            self.details = details
            aggregates = fields.aggregates.isEmpty ? [] : details.map { fields.values(of: $0) }
            tag = ClusterRoutes.tag(of: set, details, aggregates)
        }

        /// The places in the list of the objects that stand alone.
        var singles: [Int] { counts.indices.filter { counts[$0] == 1 } }

        private var counts: [Int] { self.set.counts }

        /// How often a list is made again when the store was ahead of the index.
        private static let tries = 4

        /// Makes the list and reads its objects; blocks.
        ///
        /// A tag stands for the objects as the index has them. While a commit is between the store
        /// and the index, their documents are newer: then the list is made again, and at last sent
        /// without a tag, so that no cache keeps it.
        ///
        /// - Parameter first: The list, when it was made already.
        static func response(
            to request: Request, _ objects: ObjectReader, from make: () throws -> Answer,
            first: Answer? = nil
        ) throws -> Response {
            var answer = try first ?? make()
            for attempt in 1...tries {
                if request.has(answer.tag) { return .notModified(answer.tag) }
                let shown = try answer.shown(objects)
                let isTrue = answer.agrees(with: shown)
                if isTrue || attempt == tries { return answer.response(shown, isTrue: isTrue) }
                objects.store.progress.waitForObserver()
                answer = try make()
            }
            throw Problem.overloaded
        }

        private func shown(_ objects: ObjectReader) throws -> ShownObjects {
            try objects.shown(
                layer.name, layer.settings.fields, ids: singles.map { details[$0].sample.id },
                to: viewer, omitting: FeatureWriter.ownNames)
        }

        private func agrees(with shown: ShownObjects) -> Bool {
            zip(singles, shown.objects).allSatisfy { details[$0].content == $1?.content }
        }

        /// - Parameters:
        ///   - shown: The objects that stand alone.
        ///   - isTrue: Whether they are as the tag stands for.
        func response(_ shown: ShownObjects, isTrue: Bool) -> Response {
            var rest = shown.objects[...]
            var json = JSONWriter()
            FeatureWriter.begin(&json)
            for index in 0..<set.count {
                if counts[index] > 1 {
                    FeatureWriter.cluster(
                        id: set.ids[index], at: set.points[index], count: counts[index],
                        details[index], aggregates: aggregates.isEmpty ? [] : aggregates[index],
                        to: &json)
                } else if let object = rest.popFirst() ?? nil {
                    FeatureWriter.object(object, of: shown, to: &json)
                }
            }
            json.endArray()
            json.endObject()
            var response = Response(.ok, .geoJSON, json.bytes)
            response.entityTag = isTrue ? tag : nil
            response.cacheControl = isTrue ? "public, no-cache" : "no-store"
            return response
        }
    }

    /// The hash of the list: of clusters what is shown of them, of singles all their fields.
    private static func tag(
        of set: ClusterSet, _ details: [ClusterDetails], _ aggregates: [[AggregateValue]]
    ) -> EntityTag {
        var hash = StableHash()
        for index in 0..<set.count {
            hash.combine(set.ids[index])
            hash.combine(UInt64(set.counts[index]))
            hash.combine(MortonKey(set.points[index]).bits)
            let detail = details[index]
            if set.counts[index] == 1 {
                hash.combine(bytes: detail.sample.id.utf8)
                hash.combine(detail.content)
                hash.combine(UInt64(bitPattern: detail.sampleTime))
                continue
            }
            for (kind, count) in detail.kinds {
                hash.combine(bytes: kind.utf8)
                hash.combine(UInt64(count))
            }
            for edge in [
                detail.bounds.west, detail.bounds.south, detail.bounds.east, detail.bounds.north,
            ] {
                hash.combine(edge.bitPattern)
            }
            for aggregate in aggregates.isEmpty ? [] : aggregates[index] {
                hash.combine(bytes: aggregate.name.utf8)
                hash.combine(UInt64(truncatingIfNeeded: aggregate.units))
                hash.combine(UInt64(truncatingIfNeeded: aggregate.units >> 64))
            }
        }
        return EntityTag(hash.value)
    }

    private static func radius(_ query: MapQuery, of layer: Layer) throws(Problem) -> Int {
        try query.integer("radius", in: ClusterOptions.radiusRange)
            ?? layer.settings.defaultClusterRadiusPixels
    }

    private static func options(
        _ query: MapQuery, of layer: Layer, zoom: Int
    ) throws(Problem) -> ClusterOptions {
        let radius = try radius(query, of: layer)
        do {
            return try ClusterOptions(zoom: zoom, radiusPixels: radius)
        } catch {
            throw .parameter("zoom", "does not go with this radius: \(error)")
        }
    }

    // MARK: - One cluster

    /// What the paths below one cluster have in common.
    private struct Found {
        var snapshot: IndexSnapshot
        var filter: EntryFilter
        var set: ClusterSet
    }

    /// What a question about the cluster of a request gives, and the request's parts.
    private func ask<Answer>(
        _ request: Request, _ viewer: Viewer, own: [String],
        _ question: (Found, MapQuery, Layer) throws -> Answer
    ) throws -> (answer: Answer, layer: Layer) {
        let now = catalog.now()
        let layer = try catalog.layer(for: request)
        let query = try MapQuery(request, viewer, own: own + ["radius"], now: now)
        let radius = try ClusterRoutes.radius(query, of: layer)
        let number = request.pathNumber("id").map { UInt64($0) } ?? 0
        let answer = try objects.ask(layer, query) { snapshot, filter in
            guard let (id, options) = ClusterID.parse(number, radiusPixels: radius),
                let set = snapshot.cluster(id, options: options, filter: filter)
            else {
                throw Problem(
                    .notFound,
                    "there is no cluster \(request.pathValue("id") ?? "") of radius "
                        + "\(radius) in \(layer.name) (any more)")
            }
            return try question(
                Found(snapshot: snapshot, filter: filter, set: set), query, layer)
        }
        return (answer, layer)
    }

    private enum Parts {
        case clusters(Answer)
        case objects([PlacedObject])
    }

    private func children(_ request: Request, _ viewer: Viewer) throws -> Response {
        let (parts, layer) = try ask(request, viewer, own: ["limit"]) {
            found, query, layer -> Parts in
            let limit =
                try query.integer("limit", in: ClusterRoutes.limits)
                ?? ClusterRoutes.defaultLimit
            switch found.snapshot.children(of: found.set, limit: limit, filter: found.filter) {
            case .clusters(let set):
                guard set.count <= limit else {
                    throw ClusterRoutes.tooMany("\(set.count)", limit: limit)
                }
                return .clusters(
                    Answer(
                        set, of: layer, to: viewer, found.snapshot, filter: found.filter))
            case .objects(let leaves, let total):
                guard total <= limit else {
                    throw Problem.parameter(
                        "limit",
                        "is \(limit), but the cluster has \(total) objects: page through its "
                            + "leaves")
                }
                return .objects(leaves)
            }
        }
        switch parts {
        case .clusters(let answer): return try Answer.response(to: request, objects) { answer }
        case .objects(let leaves): return try objectList(leaves, of: layer, to: viewer)
        }
    }

    private func leaves(_ request: Request, _ viewer: Viewer) throws -> Response {
        let (page, layer) = try ask(request, viewer, own: ["limit", "offset"]) {
            found, query, _ in
            let limit = try query.integer("limit", in: ClusterRoutes.leafLimits) ?? 10
            let offset = try query.integer("offset", in: 0...Int(UInt32.max)) ?? 0
            let leaves = found.snapshot.leaves(
                of: found.set, limit: limit, offset: offset, filter: found.filter)
            return (leaves: leaves, total: found.set.counts[0])
        }
        return try objectList(page.leaves, of: layer, to: viewer, total: page.total)
    }

    private func objectList(
        _ leaves: [PlacedObject], of layer: Layer, to viewer: Viewer, total: Int? = nil
    ) throws -> Response {
        var json = JSONWriter()
        FeatureWriter.begin(&json)
        let shown = try objects.shown(
            layer.name, layer.settings.fields, ids: leaves.map(\.id), to: viewer,
            omitting: FeatureWriter.ownNames)
        for object in shown.objects.compactMap(\.self) {
            FeatureWriter.object(object, of: shown, to: &json)
        }
        json.endArray()
        if let total {
            json.key("total")
            json.integer(Int64(total))
        }
        json.endObject()
        return .tagged(.geoJSON, json.bytes)
    }

    private func expansionZoom(_ request: Request, _ viewer: Viewer) throws -> Response {
        let (zoom, _) = try ask(request, viewer, own: []) { found, _, _ in
            found.snapshot.expansionZoom(of: found.set, filter: found.filter)
        }
        var json = JSONWriter()
        json.beginObject()
        json.key("zoom")
        if let zoom {
            json.integer(Int64(zoom))
        } else {
            json.null()
        }
        json.endObject()
        return .tagged(.json, json.bytes)
    }
}
