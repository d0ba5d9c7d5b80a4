/// A document with its stored form, made on the caller's thread, so that the store's one thread
/// has less to do. Imports use it.
///
/// A class, because it is handed on, sorted and queued by the million: a value of so many parts costs
/// a count up and down for each of them every time.
package final class EncodedDocument: Sendable {
    /// The document.
    package let document: Document
    /// The stored form, when its class keeps places in `geoPointField`.
    let row: DocumentRow
    let geoPointField: String?

    fileprivate init(document: Document, row: DocumentRow, geoPointField: String?) {
        self.document = document
        self.row = row
        self.geoPointField = geoPointField
    }
}

/// Makes stored forms of documents. Belongs to one thread.
package struct DocumentPreparer {
    private var encoder = DocumentEncoder()

    /// Creates a preparer.
    package init() {}

    /// The document with its stored form.
    ///
    /// - Parameter geoPointField: The GeoPoint field that its class has or will have. When the
    ///   class turns out to have another, the form is made anew while writing.
    /// - Complexity: O(size of the document).
    package mutating func prepare(_ document: Document, geoPointField: String?) -> EncodedDocument {
        EncodedDocument(
            document: document, row: encoder.row(of: document, geoPointField: geoPointField),
            geoPointField: geoPointField)
    }
}
