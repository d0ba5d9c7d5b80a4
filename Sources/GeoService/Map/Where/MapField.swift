import GeoStore
import JSONText

/// What a query on the map sees of a document's fields.
enum MapField {
    /// The value of a field.
    ///
    /// An object with a `locationAccuracy` hides its place from all but its owner: asked about, it
    /// is missing. A circle that is made smaller and smaller would find it otherwise.
    static func value(_ path: WherePath, of document: Document) -> FieldValue {
        let value = FieldValue(path, of: document)
        guard case .place = value, let accuracy = document.fields["locationAccuracy"]?.doubleValue,
            accuracy > 0
        else { return value }
        return .missing
    }
}
