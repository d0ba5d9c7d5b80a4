import Dispatch
import GeoIndex
import GeoStore

/// Answers questions about layers that have a `where`: brings the values into memory that they
/// need, and bounds what one of them may cost.
final class WhereAnswers: Sendable {
    /// What questions may cost.
    struct Limits: Sendable {
        /// Objects that one request may judge.
        var candidates = 500_000
        /// Memory of all columns.
        var bytes = 256 << 20
        /// How long one request may judge, in all of its tries together.
        var milliseconds = 10_000
    }

    private let store: SQLiteStore
    private let limits: Limits
    let budget: ColumnBudget

    init(store: SQLiteStore, limits: Limits) {
        self.store = store
        self.limits = limits
        budget = ColumnBudget(limitBytes: limits.bytes)
    }

    /// Objects without values that the first tries note. When there are more after the second, the
    /// whole layer is read.
    private static let unreadLimits = [8_192, 65_536]
    /// Tries in all: a commit between two of them may bring objects that are new to both.
    private static let tries = 12

    /// What a question gives, asked of one state of a layer with the filter that holds the `where`.
    ///
    /// The question is asked more than once when values have to be read, and must have no effect.
    /// Blocks: for worker threads only.
    ///
    /// - Parameters:
    ///   - owned: The values, by path, of objects that are another thing to who asks than to others.
    ///   - isPublic: Whether the layer's state has what everybody may read, and no more.
    ///   - snapshot: Takes the newest state of the layer's index, as it is to who asks.
    /// - Throws: ``Problem``: 422 when it costs too much, 400 for a pattern; what the question
    ///   throws.
    func ask<Answer>(
        _ columns: LayerColumns, of className: String, _ condition: Where, _ filter: EntryFilter,
        owned: [UInt64: [FieldValue]] = [:], isPublic: Bool = true,
        snapshot: () -> IndexSnapshot,
        _ question: (IndexSnapshot, EntryFilter) throws -> Answer
    ) throws -> Answer {
        let hold = columns.open(condition.paths, budget: budget)
        defer {
            columns.close(hold)
            budget.collect()
        }
        var nanosecondsLeft = limits.milliseconds * 1_000_000
        for attempt in 0..<WhereAnswers.tries {
            let (state, tables) = columns.view(hold, snapshot)
            let unreadLimit =
                attempt < WhereAnswers.unreadLimits.count
                ? WhereAnswers.unreadLimits[attempt] : limits.candidates
            let began = DispatchTime.now()
            let trial = WhereTrial(
                condition, tables, owned: owned, unreadLimit: unreadLimit,
                candidateLimit: limits.candidates,
                deadline: began + .nanoseconds(nanosecondsLeft))
            var filter = filter
            filter.test = trial.test
            let answer = Result { try question(state, filter) }
            nanosecondsLeft -= Int(
                DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds)
            if let failure = trial.failure { throw problem(failure) }
            let unread = trial.unread
            if unread.isEmpty { return try answer.get() }
            let isMost =
                unread.count == unreadLimit && attempt > 0 || 2 * unread.count > state.count
            if isMost && state.count <= 2 * limits.candidates {
                try readAll(of: className, isPublic: isPublic, state, into: columns, hold)
            } else {
                try read(unread, of: className, state, into: columns, hold)
            }
        }
        throw Problem.overloaded
    }

    private func problem(_ failure: WhereTrial.Failure) -> Problem {
        switch failure {
        case .tooManyCandidates:
            .costly(
                "where",
                "would have to look at more than \(limits.candidates) objects: ask for a "
                    + "smaller area, fewer kinds or a shorter time")
        case .tooSlow:
            .costly(
                "where",
                "takes longer than \(limits.milliseconds) ms: ask for a smaller area, "
                    + "fewer kinds or a shorter time, or with fewer conditions")
        case .pattern(let error): .condition(error)
        }
    }

    // MARK: - Reading

    /// Ids that are read in one transaction.
    private static let chunk = 4_096

    private func read(
        _ keys: [ObjectKey], of className: String, _ snapshot: IndexSnapshot,
        into columns: LayerColumns, _ hold: LayerColumns.Hold
    ) throws {
        var rest = keys[...]
        while !rest.isEmpty {
            let part = rest.prefix(WhereAnswers.chunk)
            rest = rest.dropFirst(part.count)
            let ids = part.map { snapshot.objectId(of: $0) }
            let documents = try store.read { try $0.objects(className, ids: ids) }
            // Then what the commits wrote that the read may have seen stands in the columns, and is
            // not replaced by what was read.
            store.progress.waitForObserver()
            columns.insert(
                zip(part, documents).map { key, document in
                    (key.bits, WhereAnswers.values(hold.paths, of: document))
                }, of: hold)
        }
    }

    private func readAll(
        of className: String, isPublic: Bool, _ snapshot: IndexSnapshot,
        into columns: LayerColumns, _ hold: LayerColumns.Hold
    ) throws {
        var rows: [(key: UInt64, values: [FieldValue])] = []
        rows.reserveCapacity(snapshot.count)
        try store.read { reader in
            try reader.scanPlaces(className, onlyPublic: isPublic) { _, document in
                guard let key = snapshot.objectKey(for: document.objectId) else { return }
                rows.append((key.bits, WhereAnswers.values(hold.paths, of: document)))
            }
        }
        store.progress.waitForObserver()
        var rest = rows[...]
        while !rest.isEmpty {
            let part = rest.prefix(WhereAnswers.chunk)
            rest = rest.dropFirst(part.count)
            // Writers and other readers have their turn between the parts.
            columns.insert(part, of: hold)
        }
    }

    /// An object that has gone since has no values: the index will not ask about it any more. What
    /// not everybody may read has its values here too: no state asks of it but those of viewers who
    /// may.
    private static func values(_ paths: [WherePath], of document: Document?) -> [FieldValue] {
        guard let document else {
            return [FieldValue](repeating: .missing, count: paths.count)
        }
        return paths.map { MapField.value($0, of: document) }
    }
}

extension Problem {
    /// A 422 that names one parameter whose answer costs too much.
    static func costly(_ name: String, _ message: String) -> Problem {
        Problem(
            .unprocessableContent, "\(name) \(message)",
            errors: [Fault(field: name, message: message)])
    }

    /// What a `where` that is not taken means to a client of the map.
    static func condition(_ error: WhereError) -> Problem {
        let status: HTTPStatus =
            switch error.kind {
            case .malformed, .operand, .fieldName, .unsupported, .tooCostly: .badRequest
            case .forbidden: .forbidden
            }
        return Problem(
            status, error.description, errors: [Fault(field: "where", message: error.description)])
    }
}
