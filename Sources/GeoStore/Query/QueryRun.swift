import GeoIndex

/// One query under way, on one state of the store.
final class QueryRun {
    let connection: SQLiteReadConnection
    let access: QueryAccess
    private let row: ObjectRow
    /// How many objects were read.
    private(set) var lookedAt = 0
    /// What the query itself read, not its subqueries.
    private(set) var source: QueryPlan.Source?

    /// How many values the answer to a subquery may have.
    private static let greatestAnswer = 100_000

    init(_ connection: SQLiteReadConnection, _ access: QueryAccess) {
        self.connection = connection
        self.access = access
        row = ObjectRow(connection.decoder, access)
    }

    /// Gathers the matches of a query; nil when there is no such class.
    func collect(
        _ query: ObjectQuery, from forced: QueryPlan.Kind?
    ) throws -> QueryCollector? {
        guard let number = try connection.number(of: query.className) else { return nil }
        var query = query
        query.condition = try query.condition.map { try resolved($0, of: query.className) }
        let plan = try plan(query, number, from: forced)
        source = plan.source
        var skipped = 0
        if query.condition == nil, plan.isInOrder, !query.wantsCount {
            // Every row is a match: what is passed over need not be read.
            (skipped, query.skip) = (query.skip, 0)
        }
        let collector = QueryCollector(query, isInOrder: plan.isInOrder)
        guard collector.wanted > 0 || query.wantsCount else { return collector }
        try read(
            plan, query.className, number, wanted: collector.wanted, skipping: skipped,
            isFull: { collector.isFull },
            { row in try row.matches(query.condition) ? try collector.take(row) : true })
        return collector
    }

    /// Calls `body` for each match, in no order, until it gives false.
    func visit(
        _ className: String, _ condition: Where?, _ body: (Document) throws -> Bool
    ) throws {
        guard let number = try connection.number(of: className) else { return }
        var query = ObjectQuery(
            className, try condition.map { try resolved($0, of: className) }, limit: 0)
        query.wantsCount = true
        let condition = query.condition
        let plan = try plan(query, number, from: nil)
        try read(
            plan, className, number, wanted: 0, isFull: { false },
            { row in try row.matches(condition) ? try body(row.found().document()) : true })
    }

    /// Judges the row on which a statement stands; false when `body` did.
    private func judge(
        _ columns: SQLiteStatement, _ objectId: String, _ body: (ObjectRow) throws -> Bool
    ) throws -> Bool {
        lookedAt += 1
        try connection.connection.take(rows: 1, bytes: columns.byteCount(4))
        return try row.move(to: columns, objectId: objectId) ? try body(row) : true
    }

    // MARK: - Subqueries

    private func resolved(_ condition: Where, of className: String) throws -> Where {
        var answers: [Set<FieldValue>] = []
        for subquery in condition.subqueries {
            answers.append(try answer(to: subquery, of: className))
        }
        return condition.resolved(answers)
    }

    private func answer(
        to subquery: WhereSubquery, of className: String
    ) throws -> Set<FieldValue> {
        var found: Set<FieldValue> = []
        func add(_ value: FieldValue) throws {
            found.insert(value)
            guard found.count <= QueryRun.greatestAnswer else {
                throw WhereError(
                    .tooCostly, subquery.path,
                    "finds more than \(QueryRun.greatestAnswer) objects: make it narrower")
            }
        }
        switch subquery.question {
        case .pointers(let name, let condition):
            try visit(name, condition) { document in
                try add(.reference("\(name)/\(document.objectId)"))
                return true
            }
        case .values(let name, let condition, let key):
            try visit(name, condition) { document in
                let value = FieldValue(key, of: document)
                if !value.isNothing { try add(value) }
                return true
            }
        case .members(let name, let id, let field):
            for id in try members(of: name, id, field) { try add(.text(id)) }
        case .owners(let field, let members):
            for member in members {
                let owners = try Reader(connection).owners(
                    of: member, field, of: className, limit: QueryRun.greatestAnswer + 1)
                for owner in owners { try add(.text(owner)) }
            }
        }
        return found
    }

    /// The members of a relation; none when its owner is hidden from the caller.
    private func members(
        of className: String, _ objectId: String, _ field: String
    ) throws -> [String] {
        let reader = Reader(connection)
        guard let owner = try reader.object(className, objectId), access.shown(owner) != nil else {
            return []
        }
        return try reader.relatedIds(
            field, of: className, objectId, limit: QueryRun.greatestAnswer + 1)
    }

    // MARK: - Sources

    /// Calls `body` for the objects of a source, until it gives false.
    private func read(
        _ plan: QueryPlan, _ className: String, _ number: Int64, wanted: Int,
        skipping skipped: Int = 0, isFull: () -> Bool,
        _ body: (ObjectRow) throws -> Bool
    ) throws {
        row.enter(className)
        let scope = access.scope(className)
        let direction = plan.isDescending ? "DESC" : "ASC"
        switch plan.source {
        case .ids(let ids):
            try connection.connection.take(rows: ids.count)
            _ = try read(ids: ids, number, body)
        case .keys(let index, let ranges):
            try read(index, ranges, className, number, scope, direction, body)
        case .nearest(let snapshot, let near):
            try readNearest(
                snapshot, near, className, number, wanted: wanted, isFull: isFull, body)
        case .area(let snapshot, let tests, _):
            try readAreas(snapshot, tests, className, number, body)
        case .created(let range):
            _ = try rows(
                """
                objects INDEXED BY objects_by_created
                WHERE objects.class = ?4 AND objects.created BETWEEN ?5 AND ?6\(scope.condition)
                ORDER BY objects.created \(direction), objects.id LIMIT -1 OFFSET ?7
                """, className, number, scope,
                {
                    $0.bind(range.lowerBound, at: 5)
                    $0.bind(range.upperBound, at: 6)
                    $0.bind(Int64(skipped), at: 7)
                }, body)
        case .byId(let least, let greatest):
            _ = try rows(
                """
                objects INDEXED BY objects_by_id
                WHERE objects.class = ?4 AND objects.id BETWEEN ?5 AND ?6\(scope.condition)
                ORDER BY objects.id \(direction) LIMIT -1 OFFSET ?7
                """, className, number, scope,
                {
                    $0.bind(least, at: 5)
                    $0.bind(greatest, at: 6)
                    $0.bind(Int64(skipped), at: 7)
                }, body)
        case .everything:
            // In the order of the table, from front to back.
            _ = try rows(
                """
                objects WHERE place IN (SELECT place FROM objects WHERE class = ?4)\
                \(scope.condition)
                """, className, number, scope, { _ in }, body)
        }
    }

    private func read(
        _ index: ValueIndex, _ ranges: [KeyRange], _ className: String, _ number: Int64,
        _ scope: ObjectScope, _ direction: String, _ body: (ObjectRow) throws -> Bool
    ) throws {
        // An object has several keys when it has a list.
        var seen: Set<String> = []
        let isOne = ranges.count == 1 && ranges[0].isOneKey
        for range in ranges {
            let goesOn = try rows(
                """
                value_keys AS k CROSS JOIN objects ON objects.class = ?4 AND objects.id = k.id
                WHERE k.number = ?5 AND \
                \(range.isOneKey ? "k.key = ?6" : "k.key BETWEEN ?6 AND ?7")\(scope.condition)
                \(range.isOneKey ? "ORDER BY k.created \(direction), k.id" : "")
                """, className, number, scope,
                {
                    $0.bind(index.number, at: 5)
                    $0.bind(range.least, at: 6)
                    if !range.isOneKey { $0.bind(range.greatest, at: 7) }
                },
                { row in
                    guard isOne || seen.insert(row.objectId).inserted else { return true }
                    return try body(row)
                })
            if !goesOn { return }
        }
    }

    /// Runs a statement that gives objects; false when `body` did.
    private func rows(
        _ source: String, _ className: String, _ number: Int64, _ scope: ObjectScope,
        _ bind: (SQLiteStatement) -> Void, _ body: (ObjectRow) throws -> Bool
    ) throws -> Bool {
        try connection.queries.with(
            """
            SELECT \(ObjectRow.columns)
            FROM \(source)
            """
        ) { rows in
            scope.bind(to: rows)
            rows.bind(number, at: ObjectScope.firstFreeParameter)
            bind(rows)
            while try rows.step() {
                guard try judge(rows, rows.text(0), body) else { return false }
            }
            return true
        }
    }

    /// Reads objects by their ids; false when `body` did.
    func read(
        ids: [String], _ number: Int64, _ body: (ObjectRow) throws -> Bool
    ) throws -> Bool {
        for id in ids {
            var goesOn = true
            try connection.withRow(number, id) { goesOn = try judge($0, id, body) }
            if !goesOn { return false }
        }
        return true
    }
}
