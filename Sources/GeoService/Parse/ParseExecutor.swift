import GeoStore
import JSONText

/// Carries out what calls ask for, each kind of work on its own threads.
struct ParseExecutor: Sendable {
    let store: SQLiteStore
    let pool: WorkPool
    let accounts: Accounts
    let administration: Administration

    /// Carries out one call.
    func action(for operation: ParseOperation, payloadBytes: Int) -> Action {
        switch operation {
        case .read(let operation):
            if operation.isQuick, let response = answerAtOnce(operation) {
                return .reply(response)
            }
            return .later { responder in
                submit(responder) {
                    var budget = AnswerBudget()
                    return try store.read(within: AnswerBudget.readLimit) {
                        try operation.run(in: $0, &budget)
                    }
                }
            }
        case .prepared(let operation):
            return .later { responder in
                accounts.prepare(operation) { result in
                    switch result {
                    case .success(let ready):
                        carryOut(action(for: ready, payloadBytes: payloadBytes), responder)
                    case .failure(let error): responder.respond(Self.response(to: error))
                    }
                }
            }
        case .administered(let operation):
            return .later { responder in
                let isTaken = administration.pool.submit {
                    responder.respond(respond { try operation.run(administration) })
                }
                if !isTaken { responder.respond(Self.response(to: StoreError.busy)) }
            }
        case .write(let operation):
            return .later { responder in
                write(
                    payloadBytes, responder,
                    { try operation.run(in: &$0) },
                    then: { responder.respond($0.response) })
            }
        }
    }

    /// The answer found on this event thread, which saves two changes of thread: of 40 µs of
    /// processor time for one object 10; nil when that would have to wait for other reads, or would
    /// take long itself.
    private func answerAtOnce(_ operation: any ReadOperation) -> Response? {
        do {
            var budget = AnswerBudget()
            let answer = try store.readIfQuick { reader in
                try operation.isQuick(in: reader) ? try operation.run(in: reader, &budget) : nil
            }
            return (answer ?? nil)?.response
        } catch {
            return Self.response(to: error)
        }
    }

    /// Does an action that was decided on after its request was put off.
    func carryOut(_ action: Action, _ responder: Responder) {
        switch action {
        case .reply(let response): responder.respond(response)
        case .later(let start): start(responder)
        case .collect, .consume:
            responder.fail(Problem(.internalServerError, "the body was read already"))
        }
    }

    /// Prepares what must be prepared in a batch, one by one, and carries it out then.
    func prepare(_ batch: ParseBatch, payloadBytes: Int, _ responder: Responder) {
        guard let call = batch.preparations.first else {
            return carryOut(action(for: batch, payloadBytes: payloadBytes), responder)
        }
        accounts.prepare(call.operation) { result in
            var rest = batch
            rest.settle(call, result)
            prepare(rest, payloadBytes: payloadBytes, responder)
        }
    }

    /// Carries out a batch: its writes in one transaction, so in one commit; then its reads, which
    /// see them.
    func action(for batch: ParseBatch, payloadBytes: Int) -> Action {
        guard batch.preparations.isEmpty else {
            return .later { prepare(batch, payloadBytes: payloadBytes, $0) }
        }
        return .later { responder in
            let finish: @Sendable ([ParseBatch.Outcome?]) -> Void = { written in
                guard !batch.reads.isEmpty else {
                    responder.respond(ParseBatch.answer(written).response)
                    return
                }
                submit(responder) {
                    var outcomes = written
                    try batch.read(store, into: &outcomes)
                    return ParseBatch.answer(outcomes)
                }
            }
            guard !batch.writes.isEmpty || batch.isTransaction else {
                return finish(batch.refusals)
            }
            write(payloadBytes, responder, { try batch.write(in: &$0) }, then: finish)
        }
    }

    private func write<Value: Sendable>(
        _ payloadBytes: Int, _ responder: Responder,
        _ job: @escaping @Sendable (inout WriteTransaction) throws -> Value,
        then finish: @escaping @Sendable (Value) -> Void
    ) {
        do {
            try store.submit(bytes: payloadBytes, job) { result in
                switch result {
                case .success(let value): finish(value)
                case .failure(let error): responder.respond(Self.response(to: error))
                }
            }
        } catch {
            responder.respond(Self.response(to: error))
        }
    }

    private func submit(
        _ responder: Responder, _ make: @escaping @Sendable () throws -> ParseAnswer
    ) {
        let isTaken = pool.submit { responder.respond(respond(make)) }
        if !isTaken { responder.respond(Self.response(to: StoreError.busy)) }
    }

    private func respond(_ make: () throws -> ParseAnswer) -> Response {
        do {
            return try make().response
        } catch {
            return Self.response(to: error)
        }
    }

    private static func response(to error: any Error) -> Response {
        guard let undone = error as? ParseBatch.Undone else {
            return ParseErrors.response(to: error)
        }
        // The list itself is the error's body.
        var answer = ParseBatch.answer(undone.outcomes)
        answer.status = .badRequest
        return answer.response
    }
}
