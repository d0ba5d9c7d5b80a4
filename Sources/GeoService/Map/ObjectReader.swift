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

    /// The documents of some ids in their order; nil where an object has gone, or has become
    /// private, since the ids were found. Blocks: for worker threads only.
    ///
    /// The store may be ahead of the index by a commit: what was public when the index was asked
    /// may no longer be when its document is read, so that is looked at again here. They are as
    /// everybody sees them: a place is no finer than the object's accuracy.
    func documents(_ className: String, ids: [String]) throws -> [Document?] {
        if ids.isEmpty { return [] }
        return try store.read { reader in
            try reader.objects(className, ids: ids).map { $0?.isPublic == true ? $0?.shown : nil }
        }
    }
}
