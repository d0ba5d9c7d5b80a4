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
        var content: UInt64 = 0
        writer.beginObject()
        for member in document.fields {
            writer.key(member.key)
            let start = writer.bytes.count
            writer.value(member.value)
            let value = ContentHash.text(
                writer.bytes.span.extracting(start..<writer.bytes.count))
            // Sums of mixes wrap: see ContentHash.
            content &+= ContentHash.field(name: ContentHash.text(member.key), value: value)
        }
        writer.endObject()
        let acl = document.acl.map { JSONWriter.encode($0.json) }
        if let acl { content &+= 5 &* ContentHash.text(acl.span) }
        let fields = document.fields
        return DocumentRow(
            body: writer.bytes,
            acl: acl,
            position: geoPointField.flatMap { fields[$0] }.flatMap {
                // Judged when the class took the document, so it cannot fail here.
                try? GeoPointField.position(of: $0)
            },
            kind: fields["kind"]?.stringValue ?? fields["category"]?.stringValue,
            weight: fields["weight"]?.doubleValue ?? 1,
            expiresAt: DocumentEncoder.expiry(fields["expiresAt"]),
            isPublic: document.isPublic,
            content: content)
    }

    private static func expiry(_ value: JSONValue?) -> Timestamp? {
        guard let value, value["__type"] == "Date" else { return nil }
        return value["iso"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
    }
}

extension ContentHash {
    /// The mix of a string's UTF-8 bytes.
    static func text(_ string: String) -> UInt64 {
        text(string.utf8Span.span)
    }
}
