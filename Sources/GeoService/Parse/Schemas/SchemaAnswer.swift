import GeoStore
import JSONText

/// Classes as they are described: `{"className", "fields", "classLevelPermissions", "indexes"}`.
enum SchemaAnswer {
    /// Under which name a class's settings have indexes. They are kept and shown; which indexes
    /// there really are, the store finds out for itself.
    static let indexes = "indexes"
    /// Under which name a class's settings have what is asked of fields.
    static let fields = "fields"

    /// Classes that are no business of schemas.
    static let hidden = Naming.internalClasses.union(["_GlobalConfig", "_Idempotency"])

    /// All classes in the order of their names.
    static func list(_ catalog: SchemaCatalog) -> JSONValue {
        let classes = catalog.classes.values.filter { !hidden.contains($0.name) }
        return ["results": .array(classes.sorted { $0.name < $1.name }.map { json($0) })]
    }

    /// One class.
    static func json(_ schema: ClassSchema) -> JSONValue {
        var fields = JSONObject()
        for field in SystemFields.of(schema.name) {
            var shown: JSONObject = ["type": .string(field.type)]
            if let target = field.target { shown["targetClass"] = .string(target) }
            fields[field.name] = .object(shown)
        }
        let rules = schema.settings?[Self.fields]
        for (name, type) in schema.fields.sorted(by: { $0.key < $1.key })
        where !schema.removedFields.contains(name) {
            var shown = json(type)
            for option in rules?[name]?.objectValue ?? [:] { shown[option.key] = option.value }
            fields[name] = .object(shown)
        }
        var shown: JSONObject = [
            "className": .string(schema.name), "fields": .object(fields),
            ClassPermissions.settingsName: ClassPermissions.json(schema.settings),
        ]
        if let indexes = schema.settings?[indexes] { shown[Self.indexes] = indexes }
        return .object(shown)
    }

    private static func json(_ type: FieldType) -> JSONObject {
        switch type {
        case .pointer(let target): ["type": "Pointer", "targetClass": .string(target)]
        case .relation(let target): ["type": "Relation", "targetClass": .string(target)]
        default: ["type": .string(type.description)]
        }
    }
}
