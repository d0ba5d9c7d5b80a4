import GeoIndex

/// One consistent state of the store, lent by ``SQLiteStore/read(_:)``.
package struct Reader: ~Copyable {
    let connection: SQLiteReadConnection

    init(_ connection: SQLiteReadConnection) {
        self.connection = connection
    }

    /// The object of that id, or nil.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(log n).
    package func object(_ className: String, _ objectId: String) throws(StoreError) -> Document? {
        guard let number = try connection.number(of: className) else { return nil }
        try connection.connection.checkDeadline()
        return try connection.lookup.document(number, className: className, objectId: objectId)
    }

    /// How many bytes an object's fields are stored in; nil when there is no such object.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(log n), whatever the size.
    package func byteCount(_ className: String, _ objectId: String) throws(StoreError) -> Int? {
        guard let number = try connection.number(of: className) else { return nil }
        connection.size.bind(number, at: 1)
        connection.size.bind(objectId, at: 2)
        defer { connection.size.reset() }
        return try connection.size.step() ? Int(connection.size.integer(0)) : nil
    }

    /// All classes in the order of their names.
    ///
    /// - Throws: ``StoreError``.
    package func classes() throws(StoreError) -> [ClassSchema] {
        let catalog = try SQLiteCatalog.load(
            connection.connection, limits: .init(classes: .max, fieldsPerClass: .max))
        return catalog.classes.values.sorted { $0.name < $1.name }
    }

    /// The GeoPoint field of a class, or nil.
    ///
    /// - Throws: ``StoreError``.
    package func geoPointField(of className: String) throws(StoreError) -> String? {
        guard let number = try connection.number(of: className) else { return nil }
        let rows = connection.typedField
        rows.bind(number, at: 1)
        rows.bind(FieldType.geoPoint.description, at: 2)
        defer { rows.reset() }
        return try rows.step() ? rows.text(0) : nil
    }

    /// Calls `body` for the objects of a class in the order of their ids (by bytes), until it
    /// gives false.
    ///
    /// - Parameter after: Begins past this id, for paging.
    /// - Throws: ``StoreError``, and what `body` throws.
    /// - Complexity: O(log n + objects visited).
    package func scan(
        _ className: String, after: String = "", _ body: (Document) throws -> Bool
    ) throws {
        guard let number = try connection.number(of: className) else { return }
        let rows = connection.scan
        rows.bind(number, at: 1)
        rows.bind(after, at: 2)
        defer { rows.reset() }
        while try rows.step() {
            let document = try connection.decoder.document(
                rows, from: 1, className: className, objectId: rows.text(0))
            guard try body(document) else { return }
        }
    }

    /// Calls `body` for the ids of a class in their order (by bytes), until it gives false. Reads
    /// the index of ids alone.
    ///
    /// - Parameter after: Begins past this id, for paging.
    /// - Throws: ``StoreError``, and what `body` throws.
    /// - Complexity: O(log n + ids visited).
    package func scanIds(
        _ className: String, after: String = "", _ body: (String) throws -> Bool
    ) throws {
        guard let number = try connection.number(of: className) else { return }
        let rows = connection.scanIds
        rows.bind(number, at: 1)
        rows.bind(after, at: 2)
        defer { rows.reset() }
        while try rows.step() {
            guard try body(rows.text(0)) else { return }
        }
    }

    /// Calls `body` for every object of a class that has a place, in no order.
    ///
    /// Reads columns only, never a body: about 1 µs an object, whatever the ids are.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    /// - Complexity: O(objects of the class).
    package func scanLocated(
        _ className: String, _ body: (LocatedObject) throws -> Void
    ) throws {
        guard let number = try connection.number(of: className) else { return }
        let rows = connection.scanLocated
        rows.bind(number, at: 1)
        defer { rows.reset() }
        while try rows.step() {
            try body(locatedObject(rows))
        }
    }

    /// As ``scanLocated(_:_:)``, with the objects themselves: some µs an object.
    ///
    /// - Parameter onlyPublic: Leaves out what not everybody may read.
    /// - Throws: ``StoreError``, and what `body` throws.
    /// - Complexity: O(objects of the class).
    package func scanPlaces(
        _ className: String, onlyPublic: Bool, _ body: (LocatedObject, Document) throws -> Void
    ) throws {
        guard let number = try connection.number(of: className) else { return }
        let rows = connection.scanPlaces
        rows.bind(number, at: 1)
        rows.bind(onlyPublic ? 1 : 0 as Int64, at: 2)
        defer { rows.reset() }
        while try rows.step() {
            let document = try connection.decoder.document(
                rows, from: 12, className: className, objectId: rows.text(0))
            try body(locatedObject(rows), document)
        }
    }

    /// Calls `body` for every object of a class whose place not everybody sees as it is: because not
    /// everybody may read it, or because of its ``LocationAccuracy``. In no order.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    /// - Complexity: O(such objects · log n): some µs each.
    package func scanHidden(
        _ className: String, _ body: (LocatedObject, Document) throws -> Void
    ) throws {
        guard let number = try connection.number(of: className) else { return }
        let rows = connection.scanHidden
        rows.bind(number, at: 1)
        defer { rows.reset() }
        while try rows.step() {
            let document = try connection.decoder.document(
                rows, from: 12, className: className, objectId: rows.text(0))
            try body(locatedObject(rows), document)
        }
    }

    /// Whether a class has an object with a place, whoever may read it.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(objects of the class) when it has none.
    package func hasPlaces(_ className: String) throws(StoreError) -> Bool {
        guard let number = try connection.number(of: className) else { return false }
        return try connection.connection.hasPlaces(ofClass: number)
    }

    private func locatedObject(_ row: SQLiteStatement) throws(StoreError) -> LocatedObject {
        let position: LonLat
        do {
            position = try LonLat(lon: row.double(1), lat: row.double(2))
        } catch {
            throw .corrupt
        }
        return LocatedObject(
            objectId: row.text(0), exactPosition: position,
            accuracy: row.optionalDouble(3).map { LocationAccuracy(meters: $0) ?? .coarsest },
            createdAt: Timestamp(milliseconds: row.integer(4)),
            updatedAt: Timestamp(milliseconds: row.integer(5)),
            expiresAt: row.optionalInteger(6).map(Timestamp.init(milliseconds:)),
            readers: try connection.readerSets.set(row.integer(7)), kind: row.optionalText(8),
            weight: row.double(9),
            owner: row.optionalText(10), content: UInt64(bitPattern: row.integer(11)))
    }
}
