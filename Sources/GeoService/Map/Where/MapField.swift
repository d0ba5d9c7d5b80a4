import GeoStore
import JSONText

/// What a query on the map sees of a document's fields.
enum MapField {
    /// The value of a field, of the document as everybody sees it: a place is no finer than the
    /// object's `locationAccuracy`, so that no smaller and smaller circle finds the exact one.
    static func value(_ path: WherePath, of document: Document) -> FieldValue {
        FieldValue(path, of: document.shown)
    }
}
