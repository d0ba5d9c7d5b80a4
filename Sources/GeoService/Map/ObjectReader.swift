import GeoStore

/// Reads the documents behind map answers, off the event threads.
struct ObjectReader: Sendable {
    let store: SQLiteStore
    let pool: WorkPool

    /// Answers with what `make` makes of the documents of some ids, in their order; nil where an
    /// object has gone since the ids were found.
    func answer(
        _ className: String, ids: [String],
        make: @escaping @Sendable ([Document?]) throws -> Response
    ) -> Action {
        if ids.isEmpty {
            return .later { responder in responder.respond { try make([]) } }
        }
        return .later { [self] responder in
            let isTaken = pool.submit { [self] in
                responder.respond {
                    try make(try store.read { try $0.objects(className, ids: ids) })
                }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }

    /// Carries out work that is too long for an event thread, and answers with what it decides.
    func run(_ work: @escaping @Sendable () throws -> Action) -> Action {
        .later { [self] responder in
            let isTaken = pool.submit {
                do {
                    switch try work() {
                    case .reply(let response): responder.respond(response)
                    case .later(let answer): answer(responder)
                    case .collect, .consume:
                        preconditionFailure("the request's body has been read")
                    }
                } catch {
                    responder.fail(error)
                }
            }
            if !isTaken { responder.fail(Problem.overloaded) }
        }
    }
}
