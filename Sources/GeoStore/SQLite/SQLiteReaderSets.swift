/// Sets of readers by their numbers, each kept once however many objects have it.
///
/// A number belongs to its set for ever. A set without objects stays.
enum SQLiteReaderSets {
    /// The number of the set that is nobody.
    static let nobody: Int64 = 0
    /// The number of the set that is everybody.
    static let everybody: Int64 = 1

    /// How many bytes of sets one connection keeps in memory.
    static let cacheBytes = 4 << 20

    /// About how many bytes a set takes in memory.
    static func bytes(of set: ReaderSet) -> Int {
        set.principals.reduce(64) { $0 + $1.utf8.count + 32 }
    }

    static func principals(
        _ rows: SQLiteStatement, of number: Int64
    ) throws(StoreError) -> [String] {
        rows.bind(number, at: 1)
        defer { rows.reset() }
        var principals: [String] = []
        // A set is bounded as the access list is that it came from.
        while try rows.step() { principals.append(rows.text(0)) }
        return principals
    }

    static let selectPrincipals =
        "SELECT principal FROM reader_principals WHERE number = ?1 ORDER BY principal"
}

/// Finds sets by number. Belongs to one connection.
final class SQLiteReaderSetLookup {
    private let select: SQLiteStatement
    private var known = SizedCache<Int64, ReaderSet>(limitBytes: SQLiteReaderSets.cacheBytes)

    init(_ connection: SQLiteConnection) throws(StoreError) {
        select = try SQLiteStatement(connection, SQLiteReaderSets.selectPrincipals)
    }

    /// The set of a number that an object has. O(1) for everybody and what was asked of late; else
    /// O(log n + principals).
    ///
    /// - Throws: ``StoreError/corrupt`` when there is none.
    func set(_ number: Int64) throws(StoreError) -> ReaderSet {
        if number == SQLiteReaderSets.everybody { return .everybody }
        if number == SQLiteReaderSets.nobody { return .nobody }
        if let set = known[number] { return set }
        let principals = try SQLiteReaderSets.principals(select, of: number)
        guard !principals.isEmpty else { throw .corrupt }
        let set = ReaderSet(principals: principals)
        known.insert(set, for: number, bytes: SQLiteReaderSets.bytes(of: set))
        return set
    }
}

/// Gives sets their numbers. Belongs to the writer.
final class SQLiteReaderSetWriter {
    private let connection: SQLiteConnection
    private let find: SQLiteStatement
    private let select: SQLiteStatement
    private let insertSet: SQLiteStatement
    private let insertPrincipal: SQLiteStatement
    private var known = SizedCache<ReaderSet, Int64>(limitBytes: SQLiteReaderSets.cacheBytes)
    /// The greatest number that is durable; what is above goes when the transaction is undone.
    private var greatestKept = Int64.max
    private var greatestKnown = Int64.min

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        find = try SQLiteStatement(
            connection, "SELECT number FROM reader_sets WHERE hash = ?1 ORDER BY number")
        select = try SQLiteStatement(connection, SQLiteReaderSets.selectPrincipals)
        insertSet = try SQLiteStatement(connection, "INSERT INTO reader_sets (hash) VALUES (?1)")
        insertPrincipal = try SQLiteStatement(
            connection, "INSERT INTO reader_principals (number, principal) VALUES (?1, ?2)")
        greatestKept = try connection.integer("SELECT max(number) FROM reader_sets") ?? 0
    }

    /// The number of a set, which is written when it is new. O(principals · log n), and O(1) for
    /// what was asked of late.
    func number(of set: ReaderSet) throws(StoreError) -> Int64 {
        if set.isEverybody { return SQLiteReaderSets.everybody }
        if set.isNobody { return SQLiteReaderSets.nobody }
        if let number = known[set] { return number }
        let principals = set.principals
        let hash = Self.hash(of: principals)
        let number =
            if let number = try stored(principals, hash) {
                number
            } else {
                try write(principals, hash)
            }
        known.insert(number, for: set, bytes: SQLiteReaderSets.bytes(of: set))
        greatestKnown = max(greatestKnown, number)
        return number
    }

    /// To be called after a commit: the numbers are kept.
    func keep() {
        greatestKept = max(greatestKept, greatestKnown)
    }

    /// To be called after a part of a transaction was undone: numbers that it gave are free again
    /// and may be given to other sets.
    func forget() {
        guard greatestKnown > greatestKept else { return }
        known.removeAll { $0 > greatestKept }
        greatestKnown = greatestKept
    }

    private func stored(_ principals: [String], _ hash: Int64) throws(StoreError) -> Int64? {
        find.bind(hash, at: 1)
        defer { find.reset() }
        while try find.step() {
            let number = find.integer(0)
            // Whoever makes two lists of one hash gets two sets.
            if try SQLiteReaderSets.principals(select, of: number).hasSameBytes(as: principals) {
                return number
            }
        }
        return nil
    }

    private func write(_ principals: [String], _ hash: Int64) throws(StoreError) -> Int64 {
        insertSet.bind(hash, at: 1)
        try insertSet.run()
        let number = connection.lastInsertedRow
        for principal in principals {
            insertPrincipal.bind(number, at: 1)
            insertPrincipal.bind(principal, at: 2)
            try insertPrincipal.run()
        }
        return number
    }

    /// A mix of the principals in their order; part of the stored data.
    static func hash(of principals: [String]) -> Int64 {
        var hash = UInt64(principals.count)
        for principal in principals {
            hash = ContentHash.field(name: hash, value: ContentHash.text(principal))
        }
        return Int64(bitPattern: hash)
    }
}
