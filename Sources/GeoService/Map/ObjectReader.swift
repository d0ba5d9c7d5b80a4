import GeoIndex
import GeoStore

/// Does what is too long for an event thread, above all reading the documents behind map answers.
struct ObjectReader: Sendable {
    let store: SQLiteStore
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
        let now = query.now.milliseconds
        guard let condition = query.condition else {
            return try question(layer.index.current(at: now), query.filter)
        }
        return try conditions.ask(
            layer.columns, of: layer.name, condition, query.filter,
            snapshot: { layer.index.current(at: now) }, question)
    }

    /// The objects of some ids in their order, as everybody sees them: a place is no finer than the
    /// object's accuracy. Nil where an object has gone, or has become private, since the ids were
    /// found. Blocks: for worker threads only.
    ///
    /// The store may be ahead of the index by a commit: what was public when the index was asked
    /// may no longer be when its fields are read, so that is looked at again here.
    ///
    /// - Parameter names: Fields that are left out.
    func shown(
        _ className: String, ids: [String], omitting names: [String]
    ) throws -> ShownObjects {
        if ids.isEmpty { return ShownObjects(count: 0) }
        return try store.read { reader in
            try reader.shown(className, ids: ids, omitting: names)
        }
    }
}
