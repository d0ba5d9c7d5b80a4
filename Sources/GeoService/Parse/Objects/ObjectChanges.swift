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
    }

    private(set) var members: [Member] = []
    private(set) var access = Access.kept

    /// Times that only the server sets. What clients send of them is ignored, since some send back
    /// all that they were given.
    private static let ownedFields: Set<String> = ["createdAt", "updatedAt"]
    /// What bodies of clients call the id.
    private static let idNames: Set<String> = ["objectId", "id"]

    /// Reads the body of a create.
    ///
    /// - Throws: ``ParseError`` 105 for an id, which only the server gives; as ``FieldChange`` does.
    ///   ``SchemaError`` for an access list in a wrong form.
    init(creating body: JSONObject) throws {
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
    /// - Throws: As ``init(creating:)``, for an id that is another one only.
    init(updating objectId: String, body: JSONObject) throws {
        for member in body where !Self.ownedFields.contains(member.key) {
            if member.key == "objectId" {
                if member.value.stringValue == objectId { continue }
                throw ParseError(.invalidFieldName, "objectId cannot be changed.")
            }
            try add(member, isPath: true)
        }
    }

    private mutating func add(_ member: JSONObject.Member, isPath: Bool) throws {
        if member.key == "ACL" {
            access = try Self.access(member.value)
            return
        }
        let path = isPath ? try FieldPath(member.key) : FieldPath(field: member.key)
        let change = try FieldChange(member.value, of: member.key)
        members.append(Member(path: path, change: change))
    }

    private static func access(_ value: JSONValue) throws -> Access {
        if value.isNull { return .kept }
        if value["__op"] == "Delete" { return .removed }
        return .replaced(try AccessList(value))
    }

    /// The fields after the changes, and the new values that the caller is told.
    ///
    /// - Throws: ``ParseError`` 111 where a former value is of the wrong type.
    func apply(to fields: inout JSONObject) throws(ParseError) -> JSONObject {
        var answered = JSONObject()
        for member in members {
            var new: JSONValue?
            try member.path.update(&fields) { former throws(ParseError) in
                new = try member.change.applied(to: former, of: member.path.text)
                return new
            }
            if member.change.isAnswered, let new { try member.path.put(new, into: &answered) }
        }
        return answered
    }

    /// The access list after the changes.
    func apply(to acl: AccessList?) -> AccessList? {
        switch access {
        case .kept: acl
        case .removed: nil
        case .replaced(let list): list
        }
    }
}
