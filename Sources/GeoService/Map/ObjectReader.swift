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

    /// The documents of some ids in their order; nil where an object has gone since the ids were
    /// found. Blocks: for worker threads only.
    func documents(_ className: String, ids: [String]) throws -> [Document?] {
        ids.isEmpty ? [] : try store.read { try $0.objects(className, ids: ids) }
    }
}
