/// Which state of a class's located objects a store has.
///
/// Every commit that changes one of them gives its class another position, in the same
/// transaction. Positions are compared, not ordered: the epoch is a random number of the process
/// that wrote, so that a database that was put back from a copy and then written to never has a
/// position of its former life.
package struct CommitPosition: Sendable, Hashable {
    /// A random number of the writing process.
    package let epoch: UInt64
    /// The number of the commit in that process.
    package let number: UInt64

    /// Creates a position.
    package init(epoch: UInt64, number: UInt64) {
        self.epoch = epoch
        self.number = number
    }
}

/// Writes the positions of classes. Belongs to the writer.
final class SQLitePositionWriter {
    private let upsert: SQLiteStatement
    private let epoch = UInt64.random(in: .min ... .max)
    private var number: UInt64 = 0

    init(_ connection: SQLiteConnection) throws(StoreError) {
        upsert = try SQLiteStatement(
            connection,
            """
            INSERT INTO positions (class, epoch, number) VALUES (?1, ?2, ?3)
            ON CONFLICT (class) DO UPDATE SET epoch = ?2, number = ?3
            """)
    }

    /// Gives the classes whose located objects change the next position, within the open
    /// transaction. A number that was given to a commit that failed is not given again.
    ///
    /// - Complexity: O(changes), one row for each class.
    func advance(
        _ changes: [DocumentChange], _ catalog: SchemaCatalog
    ) throws(StoreError) -> CommitPosition {
        number += 1
        var last: String?
        var done: Set<Int64> = []
        for change in changes
        where change.className != last
            && (change.locatedBefore != nil || change.locatedAfter != nil)
        {
            last = change.className
            guard let schema = catalog[change.className], done.insert(schema.number).inserted
            else { continue }
            upsert.bind(schema.number, at: 1)
            upsert.bind(Int64(bitPattern: epoch), at: 2)
            upsert.bind(Int64(bitPattern: number), at: 3)
            try upsert.run()
        }
        return CommitPosition(epoch: epoch, number: number)
    }
}

extension Reader {
    /// Which state of a class's located objects this is; nil when there never were any.
    ///
    /// - Throws: ``StoreError``.
    package func position(of className: String) throws(StoreError) -> CommitPosition? {
        guard let number = try connection.number(of: className) else { return nil }
        let rows = connection.position
        rows.bind(number, at: 1)
        defer { rows.reset() }
        guard try rows.step() else { return nil }
        return CommitPosition(
            epoch: UInt64(bitPattern: rows.integer(0)),
            number: UInt64(bitPattern: rows.integer(1)))
    }
}
