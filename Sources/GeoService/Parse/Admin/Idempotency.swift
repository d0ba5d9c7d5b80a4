import GeoStore
import JSONText
import Synchronization

/// Requests that are carried out once only, however often they are sent.
///
/// A client gives such a request an id of its own, `X-Parse-Request-Id`, and sends it again with
/// the same id when no answer came. Which ids were seen is written in the transaction of the write
/// itself: a write that failed can be sent again, and a restart forgets none. Ids are kept for
/// ``lifetimeSeconds``, at most ``greatestCount`` of them; beyond that the oldest go earlier.
final class Idempotency: Sendable {
    /// How long an id is kept, in seconds.
    static let lifetimeSeconds: Int64 = 300
    /// How many ids are kept.
    static let greatestCount = 100_000
    /// How many ids one transaction removes.
    private static let sweepLength = 1_000
    /// The longest id, in bytes.
    private static let greatestBytes = 256

    /// The class of what is kept; the objects' ids begin with the time, so that they are in its
    /// order.
    static let className = "_Idempotency"

    /// An id that is kept.
    private struct Entry {
        let objectId: String
        let expires: Timestamp
    }

    private struct State {
        /// What is kept, the oldest first.
        var entries: [Entry] = []
        /// How many of them were removed.
        var removed = 0
        var isSweeping = false

        var count: Int { entries.count - removed }

        mutating func removeFirst(_ number: Int) {
            removed = min(removed + number, entries.count)
            guard removed > entries.count / 2 else { return }
            entries.removeFirst(removed)
            removed = 0
        }
    }

    private let paths: [TextPattern]
    private let store: SQLiteStore
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    /// - Parameter paths: Patterns of paths below the mount, with the slash that they begin with.
    /// - Throws: ``StoreError``.
    init(
        paths: [TextPattern], store: SQLiteStore, now: @escaping @Sendable () -> Timestamp
    ) throws {
        var entries: [Entry] = []
        if !paths.isEmpty {
            try store.read { reader in
                try reader.scan(Self.className) { document in
                    entries.append(Self.entry(document))
                    return true
                }
            }
        }
        self.paths = paths
        self.store = store
        self.now = now
        state = Mutex(State(entries: entries))
    }

    private static func entry(_ document: Document) -> Entry {
        Entry(
            objectId: document.objectId,
            expires: document.fields["expire"]?.dateValue ?? document.createdAt)
    }

    /// An operation that is refused when its request was carried out before.
    ///
    /// - Parameter id: What the request calls itself; nil, and the operation is as it was.
    /// - Throws: ``ParseError`` 107 for too long an id.
    func once(
        _ operation: ParseOperation, _ request: ParseRequest, id: String?
    ) throws(ParseError) -> ParseOperation {
        guard !paths.isEmpty, let id, !id.isEmpty,
            request.method == .post || request.method == .put
        else { return operation }
        // As it was asked for, and as the class is called: `/users` and `/classes/_User`.
        let asked = request.caller.links.request.pathText.dropFirst(ParsePath.mount.count)
        let names = [String(asked), request.path.text]
        guard paths.contains(where: { names.contains(where: $0.matches) }) else {
            return operation
        }
        guard id.utf8.count <= Self.greatestBytes else {
            throw ParseError(
                .invalidJSON, "X-Parse-Request-Id must have at most \(Self.greatestBytes) bytes")
        }
        return once(operation, id)
    }

    fileprivate func once(_ operation: ParseOperation, _ id: String) -> ParseOperation {
        switch operation {
        case .read, .administered: operation
        case .write(let write): .write(WriteOnce(write: write, id: id, idempotency: self))
        case .prepared(let prepared):
            .prepared(PreparedOnce(operation: prepared, id: id, idempotency: self))
        }
    }

    /// Notes an id.
    ///
    /// - Throws: ``ParseError`` 159 when it was noted before; ``StoreError``.
    fileprivate func note(_ id: String, in transaction: inout WriteTransaction) throws {
        let now = now()
        let key = UniqueKey(scope: "_Idempotency.reqId", id)
        if let holder = try transaction.holder(of: key) {
            guard
                let known = try transaction.object(Self.className, holder.objectId),
                Self.entry(known).expires <= now
            else { throw ParseError(.duplicateRequest, "Duplicate request") }
            try transaction.delete(Self.className, holder.objectId)
        }
        let expires = Timestamp(milliseconds: now.milliseconds + Self.lifetimeSeconds * 1_000)
        let document = Document(
            className: Self.className, objectId: Self.objectId(at: now), createdAt: now,
            acl: AccessList(),
            fields: [
                "reqId": .string(id),
                "expire": ["__type": "Date", "iso": .string(expires.description)],
            ])
        try transaction.insert(document)
        try transaction.claim(key, for: document.objectId, of: Self.className)
    }

    /// An id in the order of time: twelve hexadecimal digits of milliseconds, and a random rest.
    private static func objectId(at now: Timestamp) -> String {
        let digits = String(max(0, now.milliseconds), radix: 16)
        return String(repeating: "0", count: max(0, 12 - digits.count)) + digits
            + ObjectID.random() + ObjectID.random()
    }

    // MARK: - Forgetting

    /// Takes over the changes of a commit, on the writer's thread, and has removed what is over.
    func apply(_ changes: [DocumentChange]) {
        guard !paths.isEmpty, changes.contains(where: { $0.className == Self.className }) else {
            return
        }
        let now = now()
        let over = state.withLock { state -> [String] in
            for change in changes where change.className == Self.className {
                if change.before == nil, let document = change.after {
                    state.entries.append(Self.entry(document))
                }
            }
            guard !state.isSweeping else { return [] }
            let excess = state.count - Self.greatestCount
            var over: [String] = []
            for entry in state.entries[state.removed...].prefix(Self.sweepLength) {
                guard entry.expires <= now || over.count < excess else { break }
                over.append(entry.objectId)
            }
            state.isSweeping = !over.isEmpty
            return over
        }
        guard !over.isEmpty else { return }
        do {
            try store.submit { (transaction: inout WriteTransaction) -> Void in
                for id in over { try transaction.delete(Self.className, id) }
            } then: { [weak self] result in
                self?.swept(over.count, isDone: (try? result.get()) != nil)
            }
        } catch {
            // The queue is full: the next commit tries again.
            swept(over.count, isDone: false)
        }
    }

    private func swept(_ count: Int, isDone: Bool) {
        state.withLock { state in
            state.isSweeping = false
            if isDone { state.removeFirst(count) }
        }
    }
}

/// A write that is done once.
private struct WriteOnce: WriteOperation {
    let write: any WriteOperation
    let id: String
    let idempotency: Idempotency

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        try idempotency.note(id, in: &transaction)
        return try write.run(in: &transaction)
    }
}

/// What is prepared for a write that is done once.
private struct PreparedOnce: PreparedOperation {
    let operation: any PreparedOperation
    let id: String
    let idempotency: Idempotency

    var work: PreparationWork { operation.work }

    func admit(_ accounts: Accounts) throws { try operation.admit(accounts) }

    func prepare(_ accounts: Accounts) throws -> ParseOperation {
        idempotency.once(try operation.prepare(accounts), id)
    }
}
