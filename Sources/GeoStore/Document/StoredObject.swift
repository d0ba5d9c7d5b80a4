import Glibc
import JSONText

/// An object as its row holds it: its fields as the JSON text that was stored, of which values are
/// made only where they are asked for.
package struct StoredObject: Sendable {
    /// The class that it belongs to.
    package let className: String
    /// Its id, unique within the class.
    package let objectId: String
    /// When it came into being.
    package let createdAt: Timestamp
    /// When it was last changed.
    package let updatedAt: Timestamp
    /// Who may read and write it; nil is everybody.
    let acl: StoredAccessList?
    /// A JSON object that ``DocumentEncoder`` wrote.
    private let fields: [UInt8]

    /// - Throws: ``StoreError/corrupt`` when the text is no object's.
    init(
        className: String, objectId: String, createdAt: Timestamp, updatedAt: Timestamp,
        acl: StoredAccessList?, fields: [UInt8]
    ) throws(StoreError) {
        guard fields.first == UInt8(ascii: "{"), fields.last == UInt8(ascii: "}"), fields.count > 1
        else { throw .corrupt }
        self.className = className
        self.objectId = objectId
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.acl = acl
        self.fields = fields
    }

    /// The same object with values. O(bytes).
    ///
    /// - Throws: ``StoreError/corrupt`` when the text is not what the store writes.
    package func document() throws(StoreError) -> Document {
        guard let members = try SQLiteDocumentDecoder.json(fields).objectValue else {
            throw .corrupt
        }
        return Document(
            className: className, objectId: objectId, createdAt: createdAt, updatedAt: updatedAt,
            acl: acl?.list, fields: members)
    }

    /// Lends the fields' text: members of a JSON object, without the braces.
    package func withFields(_ body: (Span<UInt8>) -> Void) {
        body(fields.span.extracting(1..<fields.count - 1))
    }

    /// The access list's text, ``AccessList/json`` as it is written; nil for none.
    package var aclText: [UInt8]? { acl?.text }

    /// Whether a File may be among its values. O(bytes).
    package var mayHaveFile: Bool {
        unsafe fields.withUnsafeBytes { bytes in
            guard var place = bytes.baseAddress else { return false }
            let end = unsafe place + bytes.count
            // The type's name between quotation marks, which within a text would be escaped.
            while let found = unsafe memchr(place, Int32(UInt8(ascii: "F")), end - place) {
                unsafe place = UnsafeRawPointer(found) + 1
                // One stands before every name, and a brace at the end.
                if unsafe end - place >= 4, unsafe memcmp(found - 1, "\"File\"", 6) == 0 {
                    return true
                }
            }
            return false
        }
    }
}

/// An access list with its text.
struct StoredAccessList: Hashable, Sendable {
    let list: AccessList
    /// ``AccessList/json`` as it is written.
    let text: [UInt8]

    init(_ list: AccessList) {
        self.list = list
        text = JSONWriter.encode(list.json)
    }
}

/// An object that a query found, in the form in which it was at hand.
package enum FoundObject: Sendable {
    /// As it is shown.
    case document(Document)
    /// As it is stored, which is as it is shown.
    case stored(StoredObject)

    /// The class that it belongs to.
    package var className: String {
        switch self {
        case .document(let document): document.className
        case .stored(let object): object.className
        }
    }

    /// The object with values.
    ///
    /// - Throws: As ``StoredObject/document()``.
    package func document() throws(StoreError) -> Document {
        switch self {
        case .document(let document): document
        case .stored(let object): try object.document()
        }
    }
}

/// Whose objects of a class are shown as they are stored: all that he may read, whose time is not
/// over, and whose place everybody sees as it is.
package struct StoredView: Sendable {
    /// Who asks.
    let principals: Principals
    /// The instant at which ``LocatedObject/expiryField`` is judged; nil shows what is over, too.
    let now: Timestamp?

    /// A view. The master key is shown all, coarse places included.
    package init(_ principals: Principals, now: Timestamp?) {
        self.principals = principals
        self.now = now
    }
}
