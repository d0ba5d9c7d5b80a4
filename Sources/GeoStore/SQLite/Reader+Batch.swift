extension Reader {
    /// The objects of those ids, in that order; nil where there is none.
    ///
    /// Read 128 at a time by one statement, whose rows come in the order of the ids.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(ids · log n).
    package func objects(
        _ className: String, ids: [String]
    ) throws(StoreError) -> [Document?] {
        var found = [Document?](repeating: nil, count: ids.count)
        guard let number = try connection.number(of: className) else { return found }
        // A few are quicker one by one.
        guard ids.count > 8 else {
            for (index, id) in ids.enumerated() {
                try connection.connection.checkDeadline()
                found[index] = try connection.lookup.document(
                    number, className: className, objectId: id)
            }
            return found
        }
        try forEachRow(of: ids, number, by: connection.batch) {
            (row, id, places) throws(StoreError) in
            let document = try connection.decoder.document(
                row, from: 1, className: className, objectId: id)
            for place in places { found[place] = document }
        }
        return found
    }

    /// Calls `body` for each row that ids have, with the places of its id among them: an id may
    /// stand more than once, and one without a row is passed over.
    ///
    /// - Parameter rows: Takes a class and ``SQLiteReadConnection/batchLength`` ids, and gives rows
    ///   in the order of the ids, which stand in column 0.
    func forEachRow(
        of ids: [String], _ number: Int64, by rows: SQLiteStatement,
        _ body: (SQLiteStatement, String, ArraySlice<Int>) throws(StoreError) -> Void
    ) throws(StoreError) {
        let order = Reader.ascending(ids)
        var start = 0
        while start < order.count {
            let end = min(start + SQLiteReadConnection.batchLength, order.count)
            try forEachRow(order[start..<end], of: ids, number, by: rows, body)
            start = end
        }
    }

    /// Reads one batch. Both the places and the rows are in the order of the ids.
    private func forEachRow(
        _ places: ArraySlice<Int>, of ids: [String], _ number: Int64, by rows: SQLiteStatement,
        _ body: (SQLiteStatement, String, ArraySlice<Int>) throws(StoreError) -> Void
    ) throws(StoreError) {
        try connection.connection.checkDeadline()
        rows.bind(number, at: 1)
        for offset in 0..<SQLiteReadConnection.batchLength {
            let id: String? = offset < places.count ? ids[places[places.startIndex + offset]] : nil
            rows.bind(id, at: Int32(offset + 2))
        }
        defer { rows.reset() }
        var next = places.startIndex
        while try rows.step() {
            let id = rows.text(0)
            while next < places.endIndex, ids[places[next]] != id,
                ids[places[next]].utf8.lexicographicallyPrecedes(id.utf8)
            {
                next += 1
            }
            let first = next
            while next < places.endIndex, ids[places[next]] == id { next += 1 }
            try body(rows, id, places[first..<next])
        }
    }

    /// The places of ids in the order of their bytes.
    ///
    /// Nearly all comparisons are of numbers: the first eight bytes, the first one highest.
    private static func ascending(_ ids: [String]) -> [Int] {
        var keys: [(prefix: UInt64, place: Int)] = []
        keys.reserveCapacity(ids.count)
        for (place, id) in ids.enumerated() {
            var prefix: UInt64 = 0
            var shift: UInt64 = 56
            for byte in id.utf8.prefix(8) {
                prefix |= UInt64(byte) << shift
                shift &-= 8  // after the eighth byte it is not used again
            }
            keys.append((prefix, place))
        }
        keys.sort { left, right in
            left.prefix != right.prefix
                ? left.prefix < right.prefix
                : ids[left.place].utf8.lexicographicallyPrecedes(ids[right.place].utf8)
        }
        return keys.map(\.place)
    }
}
