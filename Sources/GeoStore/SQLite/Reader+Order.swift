/// One key by which objects are put in order.
package struct ObjectOrder: Hashable, Sendable {
    /// What is compared.
    package enum Key: Hashable, Sendable {
        case objectId, createdAt, updatedAt
        /// A field, or a member of an object field: `["address", "city"]`. No name may contain a
        /// quotation mark.
        case field([String])
    }

    /// What is compared.
    package let key: Key
    /// From the greatest to the least.
    package let isDescending: Bool

    /// One key of an order.
    package init(_ key: Key, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }
}

extension Reader {
    /// The ids of some objects of a class in an order; what an order leaves equal is in the order
    /// of the ids.
    ///
    /// Missing values and nulls come first, then numbers (false is 0, true is 1), then text by its
    /// bytes. Dates, which are stored in one form, are in the order of time.
    ///
    /// - Parameters:
    ///   - scope: What to leave out.
    ///   - skip: How many of the first to leave out.
    ///   - limit: How many ids at most.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(skip + limit) in the order of the ids; else O(objects of the class) in time
    ///   and O(skip + limit) in memory.
    package func objectIds(
        of className: String, orderedBy order: [ObjectOrder] = [], in scope: ObjectScope,
        skip: Int, limit: Int
    ) throws(StoreError) -> [String] {
        guard let number = try connection.number(of: className) else { return [] }
        let first = ObjectScope.firstFreeParameter
        let firstPath = first + 3
        var terms: [String] = []
        var paths: [String] = []
        for key in order {
            let direction = key.isDescending ? " DESC" : ""
            switch key.key {
            case .objectId: terms.append("id" + direction)
            case .createdAt: terms.append("created" + direction)
            case .updatedAt: terms.append("updated" + direction)
            case .field(let names):
                terms.append(
                    "json_extract(CAST(body AS TEXT), ?\(Int(firstPath) + paths.count))" + direction
                )
                paths.append("$" + names.map { ".\"\($0)\"" }.joined())
            }
        }
        terms.append("id")
        // Made anew each time: 30 µs, little beside a sort, and orders are of many shapes.
        let rows = try SQLiteStatement(
            connection.connection,
            """
            SELECT id FROM objects WHERE class = ?\(first)\(scope.condition)
            ORDER BY \(terms.joined(separator: ", ")) LIMIT ?\(first + 1) OFFSET ?\(first + 2)
            """)
        scope.bind(to: rows)
        rows.bind(number, at: first)
        rows.bind(Int64(limit), at: first + 1)
        rows.bind(Int64(skip), at: first + 2)
        for (index, path) in paths.enumerated() { rows.bind(path, at: firstPath + Int32(index)) }
        var ids: [String] = []
        while try rows.step() { ids.append(rows.text(0)) }
        return ids
    }

    /// How many objects of a class are in a scope; without one, how many there are.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(objects of the class).
    package func count(
        of className: String, in scope: ObjectScope = .all
    ) throws(StoreError) -> Int {
        guard let number = try connection.number(of: className) else { return 0 }
        let rows = try SQLiteStatement(
            connection.connection,
            """
            SELECT count(*) FROM objects
            WHERE class = ?\(ObjectScope.firstFreeParameter)\(scope.condition)
            """)
        scope.bind(to: rows)
        rows.bind(number, at: ObjectScope.firstFreeParameter)
        return try rows.step() ? Int(rows.integer(0)) : 0
    }
}
