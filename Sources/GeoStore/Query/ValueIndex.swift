/// An index of one field of a class.
package struct ValueIndex: Hashable, Sendable {
    /// How far it is.
    package enum State: Int64, Sendable {
        /// Objects are still being taken in; no query reads it.
        case building = 0
        /// It has every object.
        case whole = 1
        /// Its keys are being removed.
        case dropping = 2
    }

    /// The number under which the store keeps it.
    package let number: Int64
    /// The class.
    package let className: String
    /// The field, or the member of an object field: `address.city`.
    package let field: String
    /// How far it is.
    package let state: State
    /// Objects up to this id have been taken in.
    let builtThrough: String

    /// How many indexes a class may have.
    package static let greatestCount = 8
}

/// Reads which indexes there are. Belongs to one connection.
final class SQLiteIndexLookup {
    private let select: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        select = try SQLiteStatement(
            connection,
            """
            SELECT number, field, state, built_through FROM value_indexes WHERE class = ?1
            ORDER BY number
            """)
    }

    /// The indexes of a class. O(indexes).
    func indexes(of className: String, class number: Int64) throws(StoreError) -> [ValueIndex] {
        select.bind(number, at: 1)
        defer { select.reset() }
        var found: [ValueIndex] = []
        while try select.step() {
            guard let state = ValueIndex.State(rawValue: select.integer(2)) else { throw .corrupt }
            found.append(
                ValueIndex(
                    number: select.integer(0), className: className, field: select.text(1),
                    state: state, builtThrough: select.text(3)))
        }
        return found
    }
}

/// Keeps the keys of indexes as objects change. Belongs to the writer.
final class SQLiteIndexWriter {
    private let connection: SQLiteConnection
    private let lookup: SQLiteIndexLookup
    private let insertKey: SQLiteStatement
    private let deleteKey: SQLiteStatement
    private let setState: SQLiteStatement
    private let deleteKeys: SQLiteStatement
    private let deleteIndex: SQLiteStatement
    private let insertIndex: SQLiteStatement
    /// The indexes of classes that were asked for since the last rollback, with their paths.
    private var known: [Int64: [(index: ValueIndex, path: WherePath)]] = [:]

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        lookup = try SQLiteIndexLookup(connection)
        insertKey = try SQLiteStatement(
            connection,
            """
            INSERT INTO value_keys (number, key, created, id) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (number, key, created, id) DO NOTHING
            """)
        deleteKey = try SQLiteStatement(
            connection,
            "DELETE FROM value_keys WHERE number = ?1 AND key = ?2 AND created = ?3 AND id = ?4")
        setState = try SQLiteStatement(
            connection,
            "UPDATE value_indexes SET state = ?2, built_through = ?3 WHERE number = ?1")
        deleteKeys = try SQLiteStatement(
            connection,
            """
            DELETE FROM value_keys WHERE (number, key, created, id) IN (
                SELECT number, key, created, id FROM value_keys WHERE number = ?1 LIMIT ?2)
            """)
        deleteIndex = try SQLiteStatement(
            connection, "DELETE FROM value_indexes WHERE number = ?1")
        insertIndex = try SQLiteStatement(
            connection,
            "INSERT INTO value_indexes (class, field, state, built_through) VALUES (?1, ?2, 0, '')"
        )
    }

    /// To be called after a part of a transaction was undone.
    func forget() { known = [:] }

    /// The indexes of a class. O(1) but for the first time.
    func indexes(of className: String, class number: Int64) throws(StoreError) -> [ValueIndex] {
        try entries(of: className, class: number).map(\.index)
    }

    private func entries(
        of className: String, class number: Int64
    ) throws(StoreError) -> [(index: ValueIndex, path: WherePath)] {
        if let entries = known[number] { return entries }
        let entries = try lookup.indexes(of: className, class: number).map {
            (index: $0, path: WherePath(trusted: $0.field))
        }
        known[number] = entries
        return entries
    }

    /// Puts an object's keys in the place of those that it had. Does nothing for a class without
    /// indexes. O(keys · log n).
    func change(
        from before: Document?, to after: Document?, class number: Int64
    ) throws(StoreError) {
        guard let className = (after ?? before)?.className else { return }
        let entries = try entries(of: className, class: number)
        for entry in entries where entry.index.state != .dropping {
            let old = before.map { ValueKey.keys(of: FieldValue(entry.path, of: $0)) } ?? []
            let new = after.map { ValueKey.keys(of: FieldValue(entry.path, of: $0)) } ?? []
            if old == new, before?.createdAt == after?.createdAt { continue }
            guard new.count <= ValueKey.greatestKeys else {
                // Long lists would hold up every write: the index is given up.
                try set(entry.index, .dropping)
                continue
            }
            if let before {
                for key in old { try run(deleteKey, entry.index, key, before) }
            }
            if let after {
                for key in new { try run(insertKey, entry.index, key, after) }
            }
        }
    }

    /// Takes an object into one index.
    ///
    /// - Returns: False when it has too many keys.
    func add(_ document: Document, to index: ValueIndex) throws(StoreError) -> Bool {
        let keys = ValueKey.keys(
            of: FieldValue(WherePath(trusted: index.field), of: document))
        guard keys.count <= ValueKey.greatestKeys else { return false }
        for key in keys { try run(insertKey, index, key, document) }
        return true
    }

    private func run(
        _ statement: SQLiteStatement, _ index: ValueIndex, _ key: [UInt8], _ document: Document
    ) throws(StoreError) {
        statement.bind(index.number, at: 1)
        statement.bind(key, at: 2)
        statement.bind(document.createdAt.milliseconds, at: 3)
        statement.bind(document.objectId, at: 4)
        try statement.run()
    }

    /// Makes an index that has nothing yet.
    func declare(_ field: String, class number: Int64) throws(StoreError) {
        insertIndex.bind(number, at: 1)
        insertIndex.bind(field, at: 2)
        try insertIndex.run()
        forget()
    }

    /// Says how far an index is.
    func set(
        _ index: ValueIndex, _ state: ValueIndex.State, builtThrough: String = ""
    ) throws(StoreError) {
        setState.bind(index.number, at: 1)
        setState.bind(state.rawValue, at: 2)
        setState.bind(builtThrough, at: 3)
        try setState.run()
        forget()
    }

    /// Removes some keys of an index, and the index with its last; gives whether it is gone.
    func remove(_ index: ValueIndex, limit: Int) throws(StoreError) -> Bool {
        deleteKeys.bind(index.number, at: 1)
        deleteKeys.bind(Int64(limit), at: 2)
        try deleteKeys.run()
        guard connection.changes < limit else { return false }
        deleteIndex.bind(index.number, at: 1)
        try deleteIndex.run()
        forget()
        return true
    }
}
