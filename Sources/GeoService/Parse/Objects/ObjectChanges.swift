import GeoStore
import JSONText

/// What the body of a write does to an object.
struct ObjectChanges: Sendable {
    /// What it does to the access list.
    enum Access: Sendable {
        case kept
        case removed
        case replaced(AccessList)
    }

    /// One change and its place.
    struct Member: Sendable {
        let path: FieldPath
        let change: FieldChange

        /// Whether the place is a relation of the class.
        fileprivate func isRelation(of schema: ClassSchema?) -> Bool {
            guard path.parents.isEmpty, case .relation? = schema?.fields[path.last] else {
                return false
            }
            return true
        }
    }

    private(set) var members: [Member] = []
    private(set) var access = Access.kept

    /// Times that only the server sets. What clients send of them is ignored, since some send back
    /// all that they were given.
    private static let ownedFields: Set<String> = ["createdAt", "updatedAt"]
    /// How many members a body may have: what one write costs the store's one thread.
    static let greatestCount = 10_000
    /// How many members of relations it is about.
    private var relatedCount = 0
    /// What bodies of clients call the id.
    private static let idNames: Set<String> = ["objectId", "id"]

    /// Reads the body of a create.
    ///
    /// - Throws: ``ParseError`` 105 for an id, which only the server gives; 155 for too many
    ///   members; as ``FieldChange`` does. ``SchemaError`` for an access list in a wrong form.
    init(creating body: JSONObject) throws {
        try Self.checkCount(of: body)
        for member in body where !Self.ownedFields.contains(member.key) {
            guard !Self.idNames.contains(member.key) else {
                throw ParseError(.invalidFieldName, "\(member.key) is an invalid field name.")
            }
            // A dot is no part of a name, so the class refuses a dotted key as it is.
            try add(member, isPath: false)
        }
    }

    /// Reads the body of an update of the object of an id.
    ///
    /// - Throws: As ``init(creating:)``, for an id that is another one only; 105 for two keys of
    ///   which one leads into the other, since which comes first would decide.
    init(updating objectId: String, body: JSONObject) throws {
        try Self.checkCount(of: body)
        for member in body where !Self.ownedFields.contains(member.key) {
            if member.key == "objectId" {
                if member.value.stringValue == objectId { continue }
                throw ParseError(.invalidFieldName, "objectId cannot be changed.")
            }
            try add(member, isPath: true)
        }
        try checkOverlap()
    }

    private static func checkCount(of body: JSONObject) throws(ParseError) {
        guard body.count <= greatestCount else {
            throw ParseError(
                .requestLimitExceeded, "an object is written with at most \(greatestCount) fields")
        }
    }

    private func checkOverlap() throws(ParseError) {
        guard members.contains(where: { $0.path.names.count > 1 }) else { return }
        let changed = Set(members.map { Array($0.path.text.utf8) })
        for member in members {
            var way: [UInt8] = []
            for name in member.path.parents {
                way += name.utf8
                guard !changed.contains(way) else {
                    throw ParseError(
                        .invalidFieldName,
                        "\(member.path.text.prefix(200)) lies in another field that is changed.")
                }
                way.append(UInt8(ascii: "."))
            }
        }
    }

    private mutating func add(_ member: JSONObject.Member, isPath: Bool) throws {
        if member.key == "ACL" {
            access = try Self.access(member.value)
            return
        }
        let path = isPath ? try FieldPath(member.key) : FieldPath(field: member.key)
        let change = try FieldChange(member.value, of: member.key)
        if case .relation(let relation) = change {
            guard path.parents.isEmpty else {
                throw ParseError(
                    .incorrectType, "\(member.key.prefix(200)) is no field, so it is no relation")
            }
            relatedCount += relation.count
            guard relatedCount <= Self.greatestCount else {
                throw ParseError(
                    .requestLimitExceeded,
                    "a write changes relations by at most \(Self.greatestCount) objects")
            }
        }
        members.append(Member(path: path, change: change))
    }

    private static func access(_ value: JSONValue) throws -> Access {
        if value.isNull { return .kept }
        if value["__op"] == "Delete" { return .removed }
        return .replaced(try AccessList(value))
    }

    /// The fields after the changes, and the new values that the caller is told.
    ///
    /// - Parameters:
    ///   - className: The object's class.
    ///   - schema: What is known of the class.
    ///   - isNew: Whether the object comes into being.
    /// - Throws: ``ParseError`` 111 where a former value is of the wrong type.
    func apply(
        to fields: inout JSONObject, of className: String, _ schema: ClassSchema?, isNew: Bool
    ) throws(ParseError) -> JSONObject {
        var answered = JSONObject()
        var removed = RemovedFields()
        for member in members {
            switch member.change {
            case .delete:
                removed.add(member.path)
                continue
            case .setOnInsert where !isNew: continue
            case .relation(let change) where change.target == nil: continue
            // A relation has no value of its own that could be missing.
            case .set(.null) where member.isRelation(of: schema): continue
            default: break
            }
            var new: JSONValue?
            try member.path.update(&fields) { former throws(ParseError) in
                new = try member.change.applied(
                    to: former, isNew: isNew, at: "\(className).\(member.path.text)")
                return new
            }
            if member.change.isAnswered(isNew: isNew), let new {
                try member.path.put(new, into: &answered)
            }
        }
        // No change leads into another, so it does not matter that these come last.
        try removed.remove(from: &fields)
        return answered
    }

    /// Changes the members of the object's relations; the object itself stands in the store as it
    /// is after the changes.
    ///
    /// - Throws: ``StoreError``.
    func relate(_ object: Document, in transaction: inout WriteTransaction) throws {
        let schema = transaction.catalog[object.className]
        for member in members {
            switch member.change {
            case .relation(let change):
                try change.run(on: member.path.text, of: object, in: &transaction)
            case .delete where member.isRelation(of: schema):
                try RelationChange.clear(member.path.text, of: object, in: &transaction)
            default: break
            }
        }
    }

    /// The fields that are changed, wholly or within.
    var fields: Set<String> { Set(members.map { $0.path.names[0] }) }

    /// The access list after the changes.
    func apply(to acl: AccessList?) -> AccessList? {
        switch access {
        case .kept: acl
        case .removed: nil
        case .replaced(let list): list
        }
    }
}

/// Places whose values are removed, gathered by the object that holds them: each object is walked
/// once, however many of its members go.
private struct RemovedFields {
    private var groups: [[UInt8]: (parents: ArraySlice<String>, names: [String])] = [:]

    mutating func add(_ path: FieldPath) {
        // The bytes are the key, since texts of other bytes may be equal. No name has a dot.
        let way = Array(path.parents.joined(separator: ".").utf8)
        groups[way, default: (path.parents, [])].names.append(path.last)
    }

    func remove(from fields: inout JSONObject) throws(ParseError) {
        for group in groups.values {
            try FieldPath.remove(group.names, below: group.parents, from: &fields)
        }
    }
}
