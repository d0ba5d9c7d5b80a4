import GeoStore
import JSONText

/// Writes objects in the form of the wire.
struct ObjectWriter {
    let links: ParseLinks

    /// Writes an object: its id, times, fields and access list. Files get their address.
    func write(_ document: Document, to json: inout JSONWriter) {
        json.beginObject()
        json.key("objectId")
        json.string(document.objectId)
        json.key("createdAt")
        json.string(document.createdAt.description)
        json.key("updatedAt")
        json.string(document.updatedAt.description)
        for member in document.fields {
            json.key(member.key)
            json.value(withAddress(member.value))
        }
        if let acl = document.acl {
            json.key("ACL")
            json.value(acl.json)
        }
        json.endObject()
    }

    /// A File with its `url`; any other value as it is.
    private func withAddress(_ value: JSONValue) -> JSONValue {
        guard case .object(var members) = value, members["__type"] == "File",
            members["url"]?.stringValue == nil, let name = members["name"]?.stringValue
        else { return value }
        members["url"] = .string(links.file(name))
        return .object(members)
    }
}
