import GeoStore
import JSONText

/// Writes objects in the form of the wire, with all their fields.
struct ObjectWriter: Sendable {
    let links: ParseLinks

    /// Writes an object: its id, times, fields and access list. Files get their address.
    func write(_ document: Document, to json: inout JSONWriter) {
        json.beginObject()
        begin(document, to: &json)
        write(document.fields, to: &json)
        end(document, to: &json)
        json.endObject()
    }

    /// Writes the members of an object without Files as they are stored.
    func write(_ object: StoredObject, to json: inout JSONWriter) {
        begin(object.objectId, object.createdAt, object.updatedAt, to: &json)
        object.withFields { json.members($0) }
        if let text = object.aclText {
            json.key("ACL")
            json.encoded(text)
        }
    }

    /// Writes the members that come before the fields.
    func begin(_ document: Document, to json: inout JSONWriter) {
        begin(document.objectId, document.createdAt, document.updatedAt, to: &json)
    }

    private func begin(
        _ objectId: String, _ createdAt: Timestamp, _ updatedAt: Timestamp,
        to json: inout JSONWriter
    ) {
        json.key("objectId")
        json.string(objectId)
        json.key("createdAt")
        json.string(createdAt.description)
        json.key("updatedAt")
        json.string(updatedAt.description)
    }

    /// Writes fields, whose Files get their address.
    func write(_ fields: JSONObject, to json: inout JSONWriter) {
        for member in fields {
            json.key(member.key)
            write(member.value, to: &json)
        }
    }

    /// Writes the members that come after the fields.
    func end(_ document: Document, to json: inout JSONWriter) {
        guard let acl = document.acl else { return }
        json.key("ACL")
        json.beginObject()
        for entry in acl.entries {
            json.key(entry.principal)
            json.beginObject()
            for (name, right) in Self.rights where entry.rights.contains(right) {
                json.key(name)
                json.bool(true)
            }
            json.endObject()
        }
        json.endObject()
    }

    private static let rights: [(String, AccessList.Rights)] = [
        ("read", .read), ("write", .write),
    ]

    /// Writes a value in which every File has its `url`.
    func write(_ value: JSONValue, to json: inout JSONWriter) {
        switch value {
        case .array(let elements):
            json.beginArray()
            for element in elements { write(element, to: &json) }
            json.endArray()
        case .object(let members):
            let address = address(of: members)
            json.beginObject()
            for member in members where address == nil || member.key != "url" {
                json.key(member.key)
                write(member.value, to: &json)
            }
            if let address {
                json.key("url")
                json.string(address)
            }
            json.endObject()
        default: json.value(value)
        }
    }

    /// The address of a File that has none yet; nil for anything else.
    private func address(of members: JSONObject) -> String? {
        guard members["__type"] == "File", members["url"]?.stringValue == nil else { return nil }
        return members["name"]?.stringValue.map(links.file)
    }
}
