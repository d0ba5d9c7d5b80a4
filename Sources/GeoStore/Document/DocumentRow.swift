import GeoIndex
package import JSONText

/// A document as it is stored: its JSON text and what is derived from it.
struct DocumentRow {
    var body: [UInt8]
    var acl: [UInt8]?
    /// The exact place.
    var position: LonLat?
    var accuracy: LocationAccuracy?
    /// What is wrong with the accuracy of the place.
    var fault: FieldValueError?
    var kind: String?
    var weight: Double
    var expiresAt: Timestamp?
    var owner: String?
    var readers: ReaderSet
    var content: UInt64

    /// The index's view of the document; nil when it has no place.
    func located(_ document: Document) -> LocatedObject? {
        guard let position else { return nil }
        return LocatedObject(
            objectId: document.objectId, exactPosition: position, accuracy: accuracy,
            createdAt: document.createdAt, updatedAt: document.updatedAt, expiresAt: expiresAt,
            readers: readers, kind: kind, weight: weight, owner: owner, content: content)
    }
}

/// Makes rows of documents, reusing its buffer.
struct DocumentEncoder {
    private var writer = JSONWriter()
    /// The last access list and its text: all rows of an import have the same.
    private var lastAccess: (list: AccessList, text: [UInt8])?

    /// The row of a document that its class has taken.
    ///
    /// - Parameter geoPointField: The GeoPoint field of the document's class.
    /// - Complexity: O(size of the document).
    mutating func row(of document: Document, geoPointField: String?) -> DocumentRow {
        writer.removeAll()
        var row = DocumentRow(
            body: [], acl: document.acl.map { text(of: $0) }, weight: 1,
            readers: ReaderSet(document.acl), content: 0)
        var category: String?
        var secondOwner: String?
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
                    row.expiresAt = member.value.dateValue
                } else if member.key == "author" {
                    row.owner = member.value.userID
                } else if member.key == "owner" {
                    secondOwner = member.value.userID
                }
            default: break
            }
        }
        writer.endObject()
        row.kind = row.kind ?? category
        row.owner = row.owner ?? secondOwner
        row.body = writer.bytes
        if row.position != nil { judgeAccuracy(of: document, &row) }
        return row
    }

    private mutating func text(of access: AccessList) -> [UInt8] {
        if let lastAccess, lastAccess.list == access { return lastAccess.text }
        let text = JSONWriter.encode(access.json)
        lastAccess = (access, text)
        return text
    }

    /// Takes over how finely a place may be shown; then the content, too, is what is shown. With a
    /// fault, which writes refuse and old data may have, that is as coarsely as can be.
    private mutating func judgeAccuracy(of document: Document, _ row: inout DocumentRow) {
        guard let value = document.fields[LocationAccuracy.fieldName] else { return }
        do throws(FieldValueError) {
            row.accuracy = try LocationAccuracy(value)
        } catch {
            row.fault = error
            row.accuracy = .coarsest
        }
        if row.accuracy != nil { row.content = document.shown.contentHash }
    }
}

extension JSONValue {
    /// The instant of a Date in Parse's encoding; nil for other values.
    package var dateValue: Timestamp? {
        guard self["__type"] == "Date" else { return nil }
        return self["iso"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
    }

    /// The id of the user that a Pointer points to; nil for other values.
    package var userID: String? {
        guard self["__type"] == "Pointer", self["className"] == "_User" else { return nil }
        return self["objectId"]?.stringValue
    }
}

extension ContentHash {
    /// The mix of a string's UTF-8 bytes.
    static func text(_ string: String) -> UInt64 {
        text(string.utf8Span.span)
    }
}
