import GeoIndex
import JSONText

/// A document as it is stored: its JSON text and what is derived from it.
struct DocumentRow {
    var body: [UInt8]
    var acl: [UInt8]?
    var position: LonLat?
    var kind: String?
    var weight: Double
    var expiresAt: Timestamp?
    var isPublic: Bool
    var content: UInt64

    /// The index's view of the document; nil when it has no place.
    func located(_ document: Document) -> LocatedObject? {
        guard let position else { return nil }
        return LocatedObject(
            objectId: document.objectId, position: position, createdAt: document.createdAt,
            updatedAt: document.updatedAt, expiresAt: expiresAt, isPublic: isPublic, kind: kind,
            weight: weight, content: content)
    }
}

/// Makes rows of documents, reusing its buffer.
struct DocumentEncoder {
    private var writer = JSONWriter()

    /// The row of a document that its class has taken.
    ///
    /// - Parameter geoPointField: The GeoPoint field of the document's class.
    /// - Complexity: O(size of the document).
    mutating func row(of document: Document, geoPointField: String?) -> DocumentRow {
        writer.removeAll()
        var row = DocumentRow(
            body: [], acl: document.acl.map { JSONWriter.encode($0.json) }, weight: 1,
            isPublic: document.isPublic, content: 0)
        var category: String?
        writer.beginObject()
        for member in document.fields.members {
            writer.key(member.key)
            let start = writer.bytes.count
            writer.value(member.value)
            let value = ContentHash.text(
                writer.bytes.span.extracting(start..<writer.bytes.count))
            // Sums of mixes wrap: see ContentHash.
            row.content &+= ContentHash.field(name: ContentHash.text(member.key), value: value)
            switch member.value {
            case .string(let text):
                if member.key == "kind" { row.kind = text }
                if member.key == "category" { category = text }
            case .integer, .number:
                if member.key == "weight" { row.weight = member.value.doubleValue ?? 1 }
            case .object:
                if let geoPointField, member.key == geoPointField {
                    // Judged when the class took the document, so it cannot fail here.
                    row.position = try? GeoPointField.position(of: member.value)
                } else if member.key == "expiresAt" {
                    row.expiresAt = DocumentEncoder.expiry(member.value)
                }
            default: break
            }
        }
        writer.endObject()
        row.kind = row.kind ?? category
        row.body = writer.bytes
        return row
    }

    private static func expiry(_ value: JSONValue) -> Timestamp? {
        guard value["__type"] == "Date" else { return nil }
        return value["iso"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
    }
}

extension ContentHash {
    /// The mix of a string's UTF-8 bytes.
    static func text(_ string: String) -> UInt64 {
        text(string.utf8Span.span)
    }
}
