import GeoIndex
import JSONText

extension Reader {
    /// The objects of those ids as everybody sees them.
    ///
    /// Most fields are copied as the bytes that the store holds. Only where an object's place is
    /// shown coarser than it is, is its document read and written again.
    ///
    /// - Parameter names: Fields that are left out.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(ids · log n + bytes).
    package func shown(
        _ className: String, ids: [String], omitting names: [String] = []
    ) throws(StoreError) -> ShownObjects {
        var found = ShownObjects(count: ids.count)
        guard let number = try connection.number(of: className) else { return found }
        var form = ShownForm(className: className, names: names)
        // An object with a place has it in this field, and in no other.
        if let field = try geoPointField(of: className) { form.omitted.append(encoded(field)) }
        // A few are quicker one by one.
        guard ids.count > 8 else {
            let row = connection.shownObject
            for (place, id) in ids.enumerated() {
                try connection.connection.checkDeadline()
                row.bind(number, at: 1)
                row.bind(id, at: 2)
                defer { row.reset() }
                guard try row.step() else { continue }
                found.objects[place] = try add(row, id, form, to: &found)
            }
            return found
        }
        try forEachRow(of: ids, number, by: connection.shownBatch) {
            (row, id, places) throws(StoreError) in
            let object = try add(row, id, form, to: &found)
            for place in places { found.objects[place] = object }
        }
        return found
    }

    /// What is the same for all objects of a question.
    private struct ShownForm {
        let className: String
        /// The names that are left out of every object.
        let names: [String]
        /// Those, and that of the place, as they are written.
        var omitted: [[UInt8]]

        init(className: String, names: [String]) {
            self.className = className
            self.names = names
            omitted = names.map(encoded)
        }
    }

    /// Takes in a row of ``SQLiteReadConnection/shownColumns``; nil for what is not public.
    private func add(
        _ row: SQLiteStatement, _ id: String, _ form: ShownForm, to found: inout ShownObjects
    ) throws(StoreError) -> ShownObjects.Object? {
        guard row.integer(1) != 0 else { return nil }
        let content = UInt64(bitPattern: row.integer(5))
        let createdAt = Timestamp(milliseconds: row.integer(6))
        let hasPlace = !row.isNull(2)
        let isExact = row.isNull(4)
        if hasPlace && isExact {
            let position: LonLat
            do {
                position = try LonLat(lon: row.double(2), lat: row.double(3))
            } catch {
                throw .corrupt
            }
            let object = row.withBlob(9) { fields in
                found.add(
                    fields, omitting: form.omitted, objectId: id, createdAt: createdAt,
                    position: position, content: content)
            }
            if let object { return object }
        }
        let document = try connection.decoder.document(
            row, from: 6, className: form.className, objectId: id
        ).shown
        let location = document.location
        var names = form.names.map(encoded)
        if let location { names.append(encoded(location.field)) }
        let fields = JSONWriter.encode(.object(document.fields))
        let object = found.add(
            fields.span, omitting: names, objectId: id, createdAt: createdAt,
            position: location?.position, content: content, isCoarse: !isExact)
        guard let object else { throw .corrupt }
        return object
    }
}

/// A name as it is written in a JSON text.
private func encoded(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONWriter.append(name, to: &bytes)
    return bytes
}
