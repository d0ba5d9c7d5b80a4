import GeoStore
import JSONText

/// What cells of a table say beyond text: the JSON of a typed value such as
/// `{"__type":"Date","iso":…}`, and of lists and objects where the class has such a field. An export
/// writes them so.
struct CellValues {
    /// The fields of the class that hold lists or objects.
    private let nested: Set<String>
    private let parser = JSONParser()

    /// - Parameter schema: The class as it was before the import; nil for a new one.
    init(_ schema: ClassSchema?) {
        nested = Set(
            (schema?.fields ?? [:]).filter { $1 == .array || $1 == .object }.map(\.key))
    }

    /// Reads the cells of a row. What is no JSON stays text.
    func read(_ fields: inout JSONObject) {
        for member in fields.members {
            guard case .string(let text) = member.value, let first = text.utf8.first,
                first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
                text.hasPrefix("{\"__type\":\"") || nested.contains(member.key),
                let value = try? parser.parse(Array(text.utf8).span)
            else { continue }
            fields[member.key] = value
        }
    }
}
