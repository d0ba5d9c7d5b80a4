import GeoStore
import JSONText

/// What holds for all calls about classes.
enum SchemaRules {
    /// A class that schemas tell of.
    ///
    /// - Throws: ``ParseError`` 103 when there is none.
    static func known(
        _ className: String, in catalog: SchemaCatalog
    ) throws(ParseError) -> ClassSchema {
        guard !SchemaAnswer.hidden.contains(className), let schema = catalog[className] else {
            throw .unknownClass(className)
        }
        return schema
    }

    /// - Throws: ``ParseError`` 103 for what no class can be called.
    static func checkName(_ className: String) throws(ParseError) {
        guard Naming.isClassName(className), !SchemaAnswer.hidden.contains(className) else {
            throw .invalidClass(className)
        }
    }

    /// The class that path and body name.
    ///
    /// - Throws: ``ParseError``: 135 without a name, 103 for two, or for none of a class.
    static func name(_ path: String?, _ body: JSONObject) throws(ParseError) -> String {
        let inBody = body["className"]?.stringValue
        guard let name = path ?? inBody else {
            throw ParseError(.missingRequiredField, "POST /schemas needs a class name.")
        }
        if let inBody, inBody != name {
            throw ParseError(
                .invalidClassName,
                "Class name mismatch between \(inBody.prefix(200)) and \(name.prefix(200)).")
        }
        try checkName(name)
        return name
    }
}

/// `POST /schemas` and `/schemas/C`: a new class.
struct CreateSchema: WriteOperation {
    private let className: String
    private let change: SchemaChange

    /// - Throws: As ``SchemaRules/name(_:_:)`` and ``SchemaChange``.
    init(_ path: String?, _ body: JSONObject) throws(ParseError) {
        className = try SchemaRules.name(path, body)
        change = try SchemaChange(body, of: className)
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        guard try transaction.addClass(className) else {
            throw ParseError(.invalidClassName, "Class \(className) already exists.")
        }
        try change.apply(in: &transaction)
        return ParseAnswer(
            SchemaAnswer.json(try SchemaRules.known(className, in: transaction.catalog)))
    }
}

/// `PUT /schemas/C`: other fields, permissions or indexes.
struct UpdateSchema: AdminOperation {
    private let className: String
    private let change: SchemaChange

    /// - Throws: As ``CreateSchema``.
    init(_ path: String, _ body: JSONObject) throws(ParseError) {
        className = try SchemaRules.name(path, body)
        change = try SchemaChange(body, of: className)
    }

    func run(_ administration: Administration) throws -> ParseAnswer {
        try administration.store.write { [self] transaction in
            _ = try SchemaRules.known(className, in: transaction.catalog)
            try change.apply(in: &transaction)
        }
        for field in change.removed {
            try administration.removeField(field, of: className)
        }
        return ParseAnswer(
            SchemaAnswer.json(
                try SchemaRules.known(className, in: administration.store.catalog)))
    }
}

/// `DELETE /schemas/C`: a class without objects, and the layer that it is.
struct DeleteSchema: AdminOperation {
    private let className: String

    /// - Throws: ``ParseError`` 103 for what no class can be called, and for a class that the
    ///   service needs.
    init(_ className: String) throws(ParseError) {
        try SchemaRules.checkName(className)
        guard SystemFields.of(className).count == SystemFields.ofAll.count else {
            throw ParseError(
                .invalidClassName, "Class \(className) cannot be deleted: the service needs it.")
        }
        self.className = className
    }

    func run(_ administration: Administration) throws -> ParseAnswer {
        try administration.store.write { [self] transaction in
            _ = try transaction.deleteClass(className)
        }
        try administration.removeLayer(className)
        return ParseAnswer([:])
    }
}

/// `DELETE /purge/C`: all objects of a class. They go some at a time, so that other writes go on;
/// what is made meanwhile may stay. A layer is empty then, and stays one.
struct PurgeClass: AdminOperation {
    private let className: String

    /// How many objects one transaction deletes.
    private static let stepLength = 500

    /// - Throws: ``ParseError`` 103 for what no class can be called.
    init(_ className: String) throws(ParseError) {
        try SchemaRules.checkName(className)
        self.className = className
    }

    func run(_ administration: Administration) throws -> ParseAnswer {
        var last = ""
        while true {
            let ids = try administration.store.read { try Self.ids(className, $0, after: last) }
            guard let end = ids.last else { break }
            last = end
            try administration.store.write(waitsForRoom: true) { [className] transaction in
                for id in ids {
                    if className == AccountNames.user {
                        try SessionWriter.endAll(of: id, in: &transaction)
                    }
                    try transaction.delete(className, id)
                }
            }
        }
        return ParseAnswer([:])
    }

    private static func ids(
        _ className: String, _ reader: borrowing Reader, after last: String
    ) throws -> [String] {
        var ids: [String] = []
        try reader.scanIds(className, after: last) { id in
            ids.append(id)
            return ids.count < stepLength
        }
        return ids
    }
}
