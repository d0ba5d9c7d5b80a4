import GeoStore
import JSONText

/// `POST /batch`: several calls in one request, each with a fate of its own.
struct ParseBatch: Sendable {
    /// How many calls one batch may have.
    static let greatestLength = 1_000
    /// How many of them may be queries of a whole class.
    static let greatestFinds = 50
    /// How many of them may hash a password or ask a provider.
    static let greatestPreparations = 50

    /// One call that was understood, and its place in the batch.
    struct Call<Operation: Sendable>: Sendable {
        let index: Int
        let operation: Operation
    }

    /// The fate of each call, as far as it is known.
    typealias Outcome = Result<ParseAnswer, any Error>

    private(set) var writes: [Call<any WriteOperation>]
    private(set) var reads: [Call<any ReadOperation>]
    /// What is to be prepared, in order.
    private(set) var preparations: [Call<any PreparedOperation>]
    /// Whether all writes are kept or none.
    let isTransaction: Bool
    /// Calls that were refused as they stand.
    private(set) var refusals: [Outcome?]

    /// Understands a batch.
    ///
    /// - Throws: ``ParseError`` 107 when it is no batch, or one of its paths leads nowhere; 155 for
    ///   too many calls or queries; then nothing of it is done.
    init(_ request: ParseRequest) throws(ParseError) {
        guard let requests = request.parameters["requests"]?.arrayValue else {
            throw ParseError(.invalidJSON, "requests must be an array")
        }
        guard requests.count <= Self.greatestLength else {
            throw ParseError(
                .requestLimitExceeded, "a batch has at most \(Self.greatestLength) requests")
        }
        isTransaction =
            try request.parameters["transaction"].map { value throws(ParseError) in
                try ParseParameters.flag(value, of: "transaction")
            } ?? false
        let mounts = Self.mounts(request.caller.links)
        var writes: [Call<any WriteOperation>] = []
        var reads: [Call<any ReadOperation>] = []
        var preparations: [Call<any PreparedOperation>] = []
        var refusals = [Outcome?](repeating: nil, count: requests.count)
        for (index, part) in requests.enumerated() {
            let call = try BatchedCall(part, mounts: mounts)
            guard !(isTransaction && call.method == .get) else {
                throw ParseError(
                    .invalidJSON, "a batch with transaction has no GET: nothing could undo it")
            }
            do {
                switch try ParseOperation(try call.request(request.caller)) {
                case .write(let operation):
                    writes.append(Call(index: index, operation: operation))
                case .read(let operation):
                    reads.append(Call(index: index, operation: operation))
                case .prepared(let operation):
                    preparations.append(Call(index: index, operation: operation))
                case .administered:
                    throw ParseError(
                        .invalidJSON, "classes are not changed in a batch: ask for it alone")
                }
            } catch ParseRefusal.unauthorized {
                // Alone it would be refused without a code, which no part of a batch can be.
                refusals[index] = .failure(
                    ParseError(.operationForbidden, "unauthorized: this needs the master key"))
            } catch let refusal as ParseRefusal {
                throw ParseError(.invalidJSON, ParseErrors.report(of: refusal).message)
            } catch {
                refusals[index] = .failure(error)
            }
        }
        guard reads.count(where: { $0.operation.readsClass }) <= Self.greatestFinds else {
            throw ParseError(
                .requestLimitExceeded, "a batch has at most \(Self.greatestFinds) queries")
        }
        guard preparations.count <= Self.greatestPreparations else {
            throw ParseError(
                .requestLimitExceeded,
                "a batch has at most \(Self.greatestPreparations) logins and passwords")
        }
        self.writes = writes
        self.reads = reads
        self.preparations = preparations
        self.refusals = refusals
    }

    /// Takes over what came of the first preparation.
    mutating func settle(
        _ call: Call<any PreparedOperation>, _ result: Result<ParseOperation, any Error>
    ) {
        preparations.removeFirst()
        switch result {
        case .success(.write(let operation)):
            let place = writes.firstIndex { $0.index > call.index } ?? writes.endIndex
            writes.insert(Call(index: call.index, operation: operation), at: place)
        case .success(.read(let operation)):
            reads.append(Call(index: call.index, operation: operation))
        case .success(.prepared(let operation)):
            preparations.insert(Call(index: call.index, operation: operation), at: 0)
        case .success(.administered):
            refusals[call.index] = .failure(
                ParseError(.internalError, "classes are not changed in a batch"))
        case .failure(let error): refusals[call.index] = .failure(error)
        }
    }

    /// The paths that a batch's own path, or the public address, has before `/classes/…`.
    private static func mounts(_ links: ParseLinks) -> [String] {
        // `https://host/geo/parse`: the path is what follows the third slash.
        let parts = links.mount.split(
            separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let publicPath = parts.count == 4 ? "/" + parts[3] : ParsePath.mount
        return publicPath == ParsePath.mount ? [publicPath] : [ParsePath.mount, publicPath]
    }

    /// Does all writes, in order, within one transaction of the store.
    ///
    /// - Throws: ``Undone`` for a batch with transaction of which one call failed; ``StoreError``
    ///   when the store failed as a whole.
    func write(in transaction: inout WriteTransaction) throws -> [Outcome?] {
        var outcomes = refusals
        for call in writes {
            outcomes[call.index] = try transaction.attempt { try call.operation.run(in: &$0) }
        }
        if isTransaction, outcomes.contains(where: \.isFailure) {
            throw Undone(outcomes: outcomes)
        }
        return outcomes
    }

    /// A batch with transaction that failed: nothing of it was kept.
    struct Undone: Error {
        let outcomes: [Outcome?]
    }

    /// Does all reads, on one state of the store. They share one answer's length and time.
    func read(_ store: SQLiteStore, into outcomes: inout [Outcome?]) throws {
        guard !reads.isEmpty else { return }
        var budget = AnswerBudget()
        try store.read(within: AnswerBudget.readLimit) { reader in
            for call in reads {
                outcomes[call.index] = Result { try call.operation.run(in: reader, &budget) }
            }
        }
    }

    /// `[{"success": …}, {"error": {"code", "error"}}, …]`.
    static func answer(_ outcomes: [Outcome?]) -> ParseAnswer {
        var json = JSONWriter()
        json.beginArray()
        for outcome in outcomes {
            json.beginObject()
            switch outcome {
            case .success(let answer)?:
                json.key("success")
                json.encoded(answer.json)
            case .failure(let error)?:
                json.key("error")
                json.value(ParseErrors.report(of: error).json)
            case nil:
                json.key("error")
                json.value(ParseErrors.Report(.internalError, "Internal server error.").json)
            }
            json.endObject()
        }
        json.endArray()
        return ParseAnswer(json.bytes)
    }
}

extension ParseBatch.Outcome? {
    fileprivate var isFailure: Bool {
        if case .success? = self { false } else { true }
    }
}
