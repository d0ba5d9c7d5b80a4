import GeoIndex
import GeoStore

/// Does what is too long for an event thread, above all reading the documents behind map answers.
struct ObjectReader: Sendable {
    let store: SQLiteStore
    let pool: WorkPool

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
        run(work)
    }

    /// What a question gives, asked of the newest state of a layer with the filter of a request.
    ///
    ///     let count = try objects.ask(layer, query) { $0.count(in: area, filter: $1) }
    func ask<Answer>(
        _ layer: Layer, _ query: MapQuery,
        _ question: (IndexSnapshot, EntryFilter) throws -> Answer
    ) throws -> Answer {
        try question(layer.index.current(at: Timestamp.now().milliseconds), query.filter)
    }

    /// The documents of some ids in their order; nil where an object has gone, or has become
    /// private, since the ids were found. Blocks: for worker threads only.
    ///
    /// The store may be ahead of the index by a commit: what was public when the index was asked
    /// may no longer be when its document is read, so that is looked at again here.
    func documents(_ className: String, ids: [String]) throws -> [Document?] {
        if ids.isEmpty { return [] }
        return try store.read { reader in
            try reader.objects(className, ids: ids).map { $0?.isPublic == true ? $0 : nil }
        }
    }
}
