import GeoIndex
import GeoStore

/// Does what is too long for an event thread, above all reading the documents behind map answers.
struct ObjectReader: Sendable {
    let store: SQLiteStore
    /// What viewers may see, and how layers look to them.
    let permissions: MapPermissions
    let pool: WorkPool
    let conditions: WhereAnswers
    /// What has a `where` may read a layer first, and regions may have many corners: they have
    /// threads of their own.
    let conditionPool: WorkPool

    /// Answers from a worker thread; 503 when too much is waiting.
    func run(_ work: @escaping @Sendable () throws -> Response) -> Action {
        .later { [pool] responder in
            if !pool.submit({ responder.respond(work) }) { responder.fail(Problem.overloaded) }
        }
    }

    /// As ``run(_:)``, on the threads that the request's parameters call for.
    func run(
        _ request: Request, _ work: @escaping @Sendable () throws -> Response
    ) -> Action {
        // What is wrong with the query is said by whoever reads it.
        guard let condition = try? request.query("where") else { return run(work) }
        return condition.isEmpty ? run(work) : conditionPool.run(work)
    }

    /// Answers from the threads of what may take seconds.
    func runLong(_ work: @escaping @Sendable () throws -> Response) -> Action {
        conditionPool.run(work)
    }

    /// What a question gives, asked of the newest state of a layer with the filter of a request.
    ///
    ///     let count = try objects.ask(layer, query) { $0.count(in: area, filter: $1) }
    ///
    /// With a `where` the question may be asked more than once, and must have no effect; all that
    /// it gives is then of one commit. Blocks when there is a `where`: then for worker threads
    /// only.
    ///
    /// - Throws: ``Problem``: 422 when a `where` costs too much; what the question throws.
    func ask<Answer>(
        _ layer: Layer, _ query: MapQuery,
        _ question: (IndexSnapshot, EntryFilter) throws -> Answer
    ) throws -> Answer {
        let seen = try permissions.look(at: layer, as: query.viewer)
        let snapshot = seen.current(at: query.now)
        guard let condition = query.condition else { return try question(snapshot, query.filter) }
        try permissions.check(condition.paths, of: layer.name, for: query.viewer)
        let owned = try ownedValues(of: layer, condition.paths, query.viewer)
        return try conditions.ask(
            layer.columns, of: layer.name, condition, query.filter, owned: owned,
            isPublic: query.viewer.isAnonymous, snapshot: { seen.current(at: query.now) },
            question)
    }

    /// More objects of one owner than a question with a condition on places reads.
    private static let mostOwned = 10_000

    /// The values of what a viewer owns and others see elsewhere, when a condition asks for what
    /// they see otherwise. Blocks.
    private func ownedValues(
        of layer: Layer, _ paths: [WherePath], _ viewer: Viewer
    ) throws -> [UInt64: [FieldValue]] {
        let keys = layer.hidden.owned(by: viewer.principals.userId)
        guard !keys.isEmpty else { return [:] }
        let ids = layer.current
        return try store.read { reader in
            let place = try reader.geoPointField(of: layer.name)
            guard paths.contains(where: { $0.field == place || $0.field == Document.geometryField })
            else { return [:] }
            let some = Array(keys.prefix(Self.mostOwned))
            let documents = try reader.objects(
                layer.name, ids: some.map { ids.objectId(of: $0) })
            var values: [UInt64: [FieldValue]] = [:]
            for (key, document) in zip(some, documents) {
                guard let document else { continue }
                let shown = layer.settings.fields.shown(document, to: viewer.principals)
                values[key.bits] = paths.map { FieldValue($0, of: shown) }
            }
            return values
        }
    }

    /// The objects of some ids in their order, as a viewer sees them: a place is no finer than the
    /// object's accuracy for all but its owner. Nil where an object has gone, or is not the
    /// viewer's to read (any more), since the ids were found. Blocks: for worker threads only.
    ///
    /// The store may be ahead of the index by a commit: what was readable when the index was asked
    /// may no longer be when its fields are read, so that is looked at again here.
    ///
    /// - Parameters:
    ///   - fields: What the layer says of its objects.
    ///   - names: Fields that are left out.
    func shown(
        _ className: String, _ fields: LayerFields = LayerFields(), ids: [String],
        to viewer: Viewer, omitting names: [String]
    ) throws -> ShownObjects {
        if ids.isEmpty { return ShownObjects(count: 0) }
        let limit: PointerLimit?
        switch permissions.sight(of: className, for: viewer) {
        case .all: limit = nil
        case .named(let pointers):
            limit = PointerLimit(fields: pointers, user: viewer.principals.userId)
        case .heat, .nothing: return ShownObjects(count: ids.count)
        }
        return try store.read { reader in
            var found = ShownObjects(count: ids.count)
            var others = Array(ids.indices)
            // Most objects are everybody's, and alike to all.
            if limit == nil, fields.leastAccuracy == nil,
                let hidden = permissions.hiddenFields(of: className, from: viewer)
            {
                found = try reader.shown(className, ids: ids, omitting: names + hidden)
                if viewer.isAnonymous { return found }
                others.removeAll { place in found.objects[place].map { !$0.isCoarse } ?? false }
            }
            let documents = try reader.objects(className, ids: others.map { ids[$0] })
            for (place, document) in zip(others, documents) {
                guard let document, viewer.principals.mayRead(document.acl),
                    limit?.covers(document) ?? true
                else { continue }
                try found.set(
                    place, to: fields.shown(document, to: viewer.principals),
                    omitting: names + permissions.hiddenFields(of: document, from: viewer))
            }
            return found
        }
    }
}
