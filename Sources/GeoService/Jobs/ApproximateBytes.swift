import JSONText

extension JSONObject {
    /// About how much memory the members take beside their place. O(size).
    var approximateBytes: Int {
        members.reduce(0) { $0 + 64 + $1.value.approximateBytes }
    }
}

extension JSONValue {
    /// About how much memory the value takes beside its place. O(size).
    var approximateBytes: Int {
        switch self {
        case .null, .bool, .integer, .number: 0
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(0) { $0 + 32 + $1.approximateBytes }
        case .object(let members): members.approximateBytes
        }
    }
}
