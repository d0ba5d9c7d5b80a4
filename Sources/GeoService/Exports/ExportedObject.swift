import GeoImport
import GeoIndex
import GeoStore
import JSONText

/// An object as it stands in an exported file: what an import would make it from.
struct ExportedObject {
    /// The id that it came with, when that was not one for objects; else its own.
    let id: String
    /// Where it is shown.
    let position: LonLat?
    /// The geometry that it came with, when that is more than a place.
    let geometry: JSONValue?
    /// Its other fields.
    let fields: JSONObject

    /// - Parameters:
    ///   - object: An object as its viewer sees it.
    ///   - members: Its fields but for the place.
    init(_ object: ShownObjects.Object, _ members: JSONObject) {
        var fields = members
        var id = object.objectId
        // Only one that this id was made of: a field of that name may say anything.
        if case .string(let source)? = fields[ExportedObject.sourceField],
            FileID.objectID(for: source) == id
        {
            id = source
            fields.removeValue(forKey: ExportedObject.sourceField)
        }
        var geometry: JSONValue?
        if let stated = fields[Document.geometryField], GeoJSONGeometry.isValid(stated) {
            geometry = stated
            fields.removeValue(forKey: Document.geometryField)
        }
        self.id = id
        position = object.position
        self.geometry = geometry
        self.fields = fields
    }

    /// The field of an id that could not be an object's.
    static let sourceField = "sourceId"
}
