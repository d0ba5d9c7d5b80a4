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
        let order = ids.indices.sorted { ids[$0].utf8.lexicographicallyPrecedes(ids[$1].utf8) }
        var start = 0
        while start < order.count {
            let end = min(start + SQLiteReadConnection.batchLength, order.count)
            try read(order[start..<end], of: ids, className, number, to: &found)
            start = end
        }
        return found
    }

    /// Reads one batch. Both the places and the rows are in the order of the ids.
    private func read(
        _ places: ArraySlice<Int>, of ids: [String], _ className: String, _ number: Int64,
        to found: inout [Document?]
    ) throws(StoreError) {
        try connection.connection.checkDeadline()
        let rows = connection.batch
        rows.bind(number, at: 1)
        for offset in 0..<SQLiteReadConnection.batchLength {
            let id: String? = offset < places.count ? ids[places[places.startIndex + offset]] : nil
            rows.bind(id, at: Int32(offset + 2))
        }
        defer { rows.reset() }
        var rest = places
        while try rows.step() {
            let id = rows.text(0)
            let document = try connection.decoder.document(
                rows, from: 1, className: className, objectId: id)
            // An id may stand more than once; one that has no row is passed over.
            while let place = rest.first, ids[place].utf8.lexicographicallyPrecedes(id.utf8) {
                rest = rest.dropFirst()
            }
            while let place = rest.first, ids[place] == id {
                found[place] = document
                rest = rest.dropFirst()
            }
        }
    }
}
