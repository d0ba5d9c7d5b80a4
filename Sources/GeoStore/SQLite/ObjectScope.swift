import JSONText

/// Which objects of a class a caller is shown.
package struct ObjectScope: Hashable, Sendable {
    /// Leaves out what these may not read.
    package let readers: Principals
    /// Leaves out what has expired.
    package let expiry: Expiry?
    /// Leaves out what does not name the caller.
    package let limit: PointerLimit?

    /// When an object is gone: at the instant in one of its fields.
    package struct Expiry: Hashable, Sendable {
        /// The Date field.
        package let field: String
        /// The instant at which that is judged.
        package let now: Timestamp

        /// The field, and the instant.
        package init(field: String, now: Timestamp) {
            self.field = field
            self.now = now
        }

        /// Whether an object is gone.
        package func isOver(_ document: Document) -> Bool {
            document.fields[field]?.dateValue.map { $0 <= now } ?? false
        }
    }

    /// A scope.
    package init(readers: Principals, expiry: Expiry? = nil, limit: PointerLimit? = nil) {
        self.readers = readers
        self.expiry = expiry
        self.limit = limit
    }

    /// Everything.
    package static let all = ObjectScope(readers: .master)

    /// The parameters of a statement from this one on are free for others than the scope.
    static let firstFreeParameter: Int32 = 4

    /// The parameters of the limit: far behind those of any statement.
    private static let fieldsParameter: Int32 = 90
    private static let userParameter: Int32 = 91

    /// The condition on a row of `objects`, to follow another one.
    ///
    /// What everybody may read costs a comparison. For another row the table of principals is
    /// asked in the order of its key, by the row's set and each of the caller's names; a caller
    /// of many names, the other way round: by the row's set alone, a set being short as a rule. So
    /// no row costs more than a set has principals, however many sets there are.
    var condition: String {
        var condition = ""
        if !readers.isMaster {
            condition += " AND (objects.readers = \(SQLiteReaderSets.everybody)"
            if !readers.names.isEmpty {
                // A plus sign keeps a column from being looked up.
                let plus = readers.names.count > ObjectScope.fewNames ? "+" : ""
                condition += """
                     OR EXISTS (SELECT 1 FROM reader_principals AS p
                        WHERE p.number = objects.readers
                            AND \(plus)p.principal IN (SELECT value FROM json_each(?3)))
                    """
            }
            condition += ")"
        }
        if let limit {
            condition +=
                " AND "
                + limit.condition(
                    fields: "?\(Self.fieldsParameter)", user: "?\(Self.userParameter)")
        }
        switch expiry?.field {
        case nil: break
        case LocatedObject.expiryField?:
            // A column of its own, before the body.
            condition += " AND (expires IS NULL OR expires > ?1)"
        case _?:
            // Whatever form a date was stored in, this is its instant in days.
            condition += """
                 AND coalesce(julianday(iif(
                    json_extract(CAST(body AS TEXT), ?2 || '.__type') = 'Date',
                    json_extract(CAST(body AS TEXT), ?2 || '.iso'), NULL)) > julianday(?1), 1)
                """
        }
        return condition
    }

    /// A caller of so many names is looked up by each of them.
    private static let fewNames = 8

    /// Binds the values of the condition.
    func bind(to statement: SQLiteStatement) {
        if !readers.isMaster, !readers.names.isEmpty {
            let names = JSONValue.array(readers.names.map { .string($0) })
            statement.bind(String(decoding: JSONWriter.encode(names), as: UTF8.self), at: 3)
        }
        if let limit {
            statement.bind(limit.fieldList, at: Self.fieldsParameter)
            statement.bind(limit.user, at: Self.userParameter)
        }
        guard let expiry else { return }
        guard expiry.field != LocatedObject.expiryField else {
            return statement.bind(expiry.now.milliseconds, at: 1)
        }
        statement.bind(expiry.now.description, at: 1)
        statement.bind("$.\"\(expiry.field)\"", at: 2)
    }
}
