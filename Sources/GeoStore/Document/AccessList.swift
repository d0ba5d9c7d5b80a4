package import JSONText

/// Who may read and write one object. A document without a list is open to all; one with an empty
/// list is for the master key only.
///
/// Only rights that are granted are kept, as Parse does; entries are in the order of their
/// principals' bytes, so that equal lists are written alike.
package struct AccessList: Hashable, Sendable {
    /// What one principal may do.
    package struct Rights: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// May see the object.
        package static let read = Rights(rawValue: 1)
        /// May change and delete the object.
        package static let write = Rights(rawValue: 2)
    }

    /// One principal's rights.
    package struct Entry: Hashable, Sendable {
        /// A user's objectId, `role:` and a role's name, or `*` for everybody.
        package let principal: String
        /// Never empty.
        package let rights: Rights
    }

    /// The principal that stands for everybody.
    package static let everybody = "*"

    /// The entries in order.
    package private(set) var entries: [Entry] = []

    /// The list that grants nothing.
    package init() {}

    /// The list that grants everybody these rights.
    package init(everybody rights: Rights) {
        self[AccessList.everybody] = rights
    }

    /// The rights of a principal; setting the empty set removes the entry. O(entries).
    package subscript(principal: String) -> Rights {
        get { entries.first { $0.principal == principal }?.rights ?? [] }
        set {
            entries.removeAll { $0.principal == principal }
            guard !newValue.isEmpty else { return }
            let place =
                entries.firstIndex {
                    principal.utf8.lexicographicallyPrecedes($0.principal.utf8)
                } ?? entries.count
            entries.insert(Entry(principal: principal, rights: newValue), at: place)
        }
    }

    /// True when everybody may read.
    package var publicCanRead: Bool { self[AccessList.everybody].contains(.read) }
}

extension AccessList {
    /// The most principals one list may name.
    package static let maximumEntries = 1000

    /// Reads the form of the wire: `{"*": {"read": true}, "role:editors": {"write": true}}`.
    ///
    /// - Throws: ``SchemaError/invalidAccessList(reason:)``.
    package init(_ value: JSONValue) throws(SchemaError) {
        guard let members = value.objectValue else {
            throw .invalidAccessList(reason: "it is not an object")
        }
        guard members.count <= AccessList.maximumEntries else {
            throw .invalidAccessList(
                reason: "it has more than \(AccessList.maximumEntries) entries")
        }
        var found: [Entry] = []
        for member in members where !member.value.isNull {
            let rights = try AccessList.rights(of: member.value, principal: member.key)
            if !rights.isEmpty { found.append(Entry(principal: member.key, rights: rights)) }
        }
        entries = found.sorted { $0.principal.utf8.lexicographicallyPrecedes($1.principal.utf8) }
    }

    private static func rights(
        of value: JSONValue, principal: String
    ) throws(SchemaError) -> Rights {
        guard !principal.isEmpty, principal != "role:" else {
            throw .invalidAccessList(reason: "an entry names nobody")
        }
        guard let members = value.objectValue else {
            throw .invalidAccessList(reason: "the entry of \(principal) is not an object")
        }
        var rights: Rights = []
        for member in members {
            guard let granted = member.value.boolValue else {
                throw .invalidAccessList(reason: "a right of \(principal) is not true or false")
            }
            switch member.key {
            case "read": if granted { rights.insert(.read) }
            case "write": if granted { rights.insert(.write) }
            default:
                throw .invalidAccessList(reason: "\(principal) has a right besides read, write")
            }
        }
        return rights
    }

    /// The form of the wire.
    package var json: JSONValue {
        var members = JSONObject()
        for entry in entries {
            var rights = JSONObject()
            if entry.rights.contains(.read) { rights["read"] = true }
            if entry.rights.contains(.write) { rights["write"] = true }
            members[entry.principal] = .object(rights)
        }
        return .object(members)
    }
}
