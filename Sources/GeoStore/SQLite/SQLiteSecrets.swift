/// Reads what belongs to an object and is in no document. Belongs to one connection.
final class SQLiteSecretLookup {
    private let select: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        select = try SQLiteStatement(
            connection,
            """
            SELECT secret_slots.value FROM secrets
            JOIN secret_slots ON secret_slots.slot = secrets.slot
            WHERE secrets.class = ?1 AND secrets.id = ?2 AND secrets.name = ?3
            """)
    }

    /// A secret of an object. O(log n).
    func value(_ name: String, class number: Int64, id: String) throws(StoreError) -> [UInt8]? {
        select.bind(number, at: 1)
        select.bind(id, at: 2)
        select.bind(name, at: 3)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return try select.withBlob(0) { bytes throws(StoreError) in
            try SecretSlot.value(in: bytes)
        }
    }
}

/// The form of a secret in its slot: its length in four bytes, lowest first, the bytes, zeros.
enum SecretSlot {
    private static let headBytes = 4

    /// How many bytes the slot of a secret has: one of few sizes, so that slots fit others later.
    static func room(for count: Int) -> Int {
        let bytes = count + headBytes
        if bytes <= 1024 { return (bytes + 63) / 64 * 64 }
        var room = 2048
        while room < bytes { room *= 2 }
        return room
    }

    /// A slot with a secret in it.
    static func filled(with value: [UInt8]) -> [UInt8] {
        var slot: [UInt8] = []
        slot.reserveCapacity(room(for: value.count))
        for place in 0..<headBytes {
            slot.append(UInt8(truncatingIfNeeded: value.count >> (8 * place)))
        }
        slot += value
        slot += repeatElement(0, count: room(for: value.count) - slot.count)
        return slot
    }

    /// The secret in a slot.
    ///
    /// - Throws: ``StoreError/corrupt`` when the slot is shorter than it says.
    static func value(in slot: Span<UInt8>) throws(StoreError) -> [UInt8] {
        guard slot.count >= headBytes else { throw .corrupt }
        var count = 0
        for place in 0..<headBytes { count |= Int(slot[place]) << (8 * place) }
        guard count <= slot.count - headBytes else { throw .corrupt }
        return (headBytes..<headBytes + count).map { slot[$0] }
    }
}

/// Writes secrets, so that of a former one nothing is left in the database file. Belongs to the
/// writer.
///
/// SQLite zeroes what is deleted (`secure_delete`), but when it moves rows from page to page it
/// leaves copies where they were; of 700 deleted secrets some were found in the file. So the rows
/// with values never move: they are appended in the order of their key, for which SQLite splits no
/// page, and never deleted. Who has no use for a slot any more overwrites it with zeros, in place
/// since the length is the same, and leaves it to the next secret of its size.
final class SQLiteSecretWriter {
    private let connection: SQLiteConnection
    private let find: SQLiteStatement
    private let list: SQLiteStatement
    private let listClass: SQLiteStatement
    private let upsert: SQLiteStatement
    private let delete: SQLiteStatement
    private let size: SQLiteStatement
    private let append: SQLiteStatement
    private let overwrite: SQLiteStatement
    private let findFree: SQLiteStatement
    private let take: SQLiteStatement
    private let leave: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
            try SQLiteStatement(connection, sql)
        }
        find = try prepare(
            "SELECT slot FROM secrets WHERE class = ?1 AND id = ?2 AND name = ?3")
        list = try prepare("SELECT id, name FROM secrets WHERE class = ?1 AND id = ?2 LIMIT 1")
        listClass = try prepare("SELECT id, name FROM secrets WHERE class = ?1 LIMIT 1")
        upsert = try prepare(
            """
            INSERT INTO secrets (class, id, name, slot) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (class, id, name) DO UPDATE SET slot = ?4
            """)
        delete = try prepare("DELETE FROM secrets WHERE class = ?1 AND id = ?2 AND name = ?3")
        size = try prepare("SELECT length(value) FROM secret_slots WHERE slot = ?1")
        append = try prepare("INSERT INTO secret_slots (value) VALUES (?1)")
        overwrite = try prepare("UPDATE secret_slots SET value = ?2 WHERE slot = ?1")
        findFree = try prepare("SELECT slot FROM free_slots WHERE room = ?1 LIMIT 1")
        take = try prepare("DELETE FROM free_slots WHERE room = ?1 AND slot = ?2")
        leave = try prepare("INSERT INTO free_slots (room, slot) VALUES (?1, ?2)")
    }

    /// Sets a secret of an object; true when there was one before. O(size + log n).
    func set(
        _ name: String, to value: [UInt8], class number: Int64, id: String
    ) throws(StoreError) -> Bool {
        let room = SecretSlot.room(for: value.count)
        let former = try slot(name, number, id)
        if let former {
            if try self.room(of: former) == room {
                try write(SecretSlot.filled(with: value), to: former)
                return true
            }
            try free(former)
        }
        upsert.bind(number, at: 1)
        upsert.bind(id, at: 2)
        upsert.bind(name, at: 3)
        upsert.bind(try add(SecretSlot.filled(with: value)), at: 4)
        try upsert.run()
        return former != nil
    }

    /// Removes a secret of an object; false when there was none. O(size + log n).
    func delete(_ name: String, class number: Int64, id: String) throws(StoreError) -> Bool {
        guard let slot = try slot(name, number, id) else { return false }
        try free(slot)
        delete.bind(number, at: 1)
        delete.bind(id, at: 2)
        delete.bind(name, at: 3)
        try delete.run()
        return true
    }

    /// Removes all secrets of an object; false when there was none.
    func deleteAll(class number: Int64, id: String) throws(StoreError) -> Bool {
        list.bind(id, at: 2)
        return try deleteAll(list, number)
    }

    /// Removes all secrets of a class; false when there was none.
    func deleteAll(class number: Int64) throws(StoreError) -> Bool {
        try deleteAll(listClass, number)
    }

    private func deleteAll(_ rows: SQLiteStatement, _ number: Int64) throws(StoreError) -> Bool {
        rows.bind(number, at: 1)
        var hasAny = false
        while true {
            defer { rows.reset() }  // the values stay bound
            guard try rows.step() else { return hasAny }
            let (id, name) = (rows.text(0), rows.text(1))
            rows.reset()
            hasAny = true
            guard try delete(name, class: number, id: id) else { throw .corrupt }
        }
    }

    private func slot(_ name: String, _ number: Int64, _ id: String) throws(StoreError) -> Int64? {
        find.bind(number, at: 1)
        find.bind(id, at: 2)
        find.bind(name, at: 3)
        defer { find.reset() }
        return try find.step() ? find.integer(0) : nil
    }

    private func room(of slot: Int64) throws(StoreError) -> Int {
        size.bind(slot, at: 1)
        defer { size.reset() }
        guard try size.step() else { throw .corrupt }
        return Int(size.integer(0))
    }

    private func write(_ bytes: [UInt8], to slot: Int64) throws(StoreError) {
        overwrite.bind(slot, at: 1)
        overwrite.bind(bytes, at: 2)
        try overwrite.run()
    }

    /// Puts bytes in a slot of their size, a free one if there is one.
    private func add(_ bytes: [UInt8]) throws(StoreError) -> Int64 {
        findFree.bind(Int64(bytes.count), at: 1)
        let free: Int64? = try findFree.step() ? findFree.integer(0) : nil
        findFree.reset()
        guard let free else {
            append.bind(bytes, at: 1)
            try append.run()
            return connection.lastInsertedRow
        }
        take.bind(Int64(bytes.count), at: 1)
        take.bind(free, at: 2)
        try take.run()
        try write(bytes, to: free)
        return free
    }

    /// Zeroes a slot and leaves it to another secret.
    private func free(_ slot: Int64) throws(StoreError) {
        let room = try room(of: slot)
        try write([UInt8](repeating: 0, count: room), to: slot)
        leave.bind(Int64(room), at: 1)
        leave.bind(slot, at: 2)
        try leave.run()
    }
}
