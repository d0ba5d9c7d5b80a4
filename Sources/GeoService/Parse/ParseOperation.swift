import GeoStore

/// What a call does, once it is understood: a value that can be carried out alone or in a batch.
enum ParseOperation: Sendable {
    case read(any ReadOperation)
    case write(any WriteOperation)
    /// What must hash a password or ask a provider first.
    case prepared(any PreparedOperation)
    /// What takes several transactions.
    case administered(any AdminOperation)
}

/// Reads one state of the store.
protocol ReadOperation: Sendable {
    /// Whether it may take microseconds only, so that an event thread is worth a try.
    var isQuick: Bool { get }
    /// Whether it may read a whole class.
    var readsClass: Bool { get }

    /// Whether it takes microseconds, as the store is.
    ///
    /// - Throws: ``StoreError``.
    func isQuick(in reader: borrowing Reader) throws -> Bool

    /// - Parameter budget: What the whole request may still answer.
    /// - Throws: ``ParseError``, ``StoreError``.
    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer
}

extension ReadOperation {
    var readsClass: Bool { false }
}

/// Changes the store within one transaction. What it does is undone when it throws.
protocol WriteOperation: Sendable {
    /// - Throws: ``ParseError``, ``SchemaError``, ``StoreError``.
    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer
}

extension ParseOperation {
    /// Understands a call of one resource.
    ///
    /// - Throws: ``ParseRefusal/noRoute(method:path:)``, and what the resource says to its
    ///   parameters: ``ParseError``, ``SchemaError``.
    init(_ request: ParseRequest) throws {
        if let operation = try ParseOperation(account: request) {
            self = operation
            return
        }
        if let operation = try ParseOperation(admin: request) {
            self = operation
            return
        }
        let caller = request.caller
        switch (request.path, request.method) {
        case (.objects(let name), .get):
            self = .read(try FindObjects(name, request.parameters, caller))
        case (.aggregate(let name), .get), (.aggregate(let name), .post):
            self = .read(try AggregateObjects(name, request.parameters, caller))
        case (.objects(let name), .post):
            self = .write(try CreateObject(name, request.parameters, caller))
        case (.object(let name, let id), .get):
            self = .read(try FetchObject(name, id, request.parameters, caller))
        case (.object(let name, let id), .put):
            self = .write(try UpdateObject(name, id, request.parameters, caller))
        case (.object(let name, let id), .delete):
            self = .write(try DeleteObject(name, id, caller))
        case (.objects, _), (.object, _), (.account, _), (.admin, _), (.batch, _), (.health, _),
            (.aggregate, _):
            throw ParseRefusal.noRoute(method: request.method.name, path: request.path.text)
        }
    }
}
