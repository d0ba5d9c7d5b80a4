import GeoIndex
package import JSONText

extension FieldType {
    /// The type of a value in Parse's encoding; nil for null, which fixes nothing.
    ///
    /// - Throws: ``FieldValueError`` when it is no value that a field may have.
    /// - Complexity: O(size of the value); nested values are walked for their keys.
    package static func of(_ value: JSONValue) throws(FieldValueError) -> FieldType? {
        switch value {
        case .null: return nil
        case .bool: return .boolean
        case .integer: return .number
        case .number(let number):
            guard number.isFinite else { throw .notFinite }
            return .number
        case .string: return .string
        case .array(let values):
            for element in values { try checkNested(element) }
            return .array
        case .object(let members):
            guard let tag = members["__type"] else {
                guard !members.contains("__op") else { throw .operation }
                try checkNested(value)
                return .object
            }
            guard case .string(let name) = tag else { throw .unknownType }
            return try typed(name, members, value)
        }
    }

    private static func typed(
        _ name: String, _ members: JSONObject, _ value: JSONValue
    ) throws(FieldValueError) -> FieldType {
        switch name {
        case "GeoPoint":
            _ = try GeoPointField.position(of: value)
            return .geoPoint
        case "Date":
            guard let text = members["iso"]?.stringValue, Timestamp(rfc3339: text) != nil else {
                throw .shape(type: "Date")
            }
            return .date
        case "Pointer":
            guard let target = members["className"]?.stringValue, Naming.isClassName(target),
                let id = members["objectId"]?.stringValue, ObjectID.isValid(id)
            else { throw .shape(type: "Pointer") }
            return .pointer(target)
        case "Relation":
            guard let target = members["className"]?.stringValue, Naming.isClassName(target) else {
                throw .shape(type: "Relation")
            }
            return .relation(target)
        case "File":
            guard members["name"]?.stringValue != nil else { throw .shape(type: "File") }
            return .file
        case "Bytes":
            guard members["base64"]?.stringValue != nil else { throw .shape(type: "Bytes") }
            return .bytes
        case "Polygon":
            try checkPolygon(members["coordinates"])
            return .polygon
        default: throw .unknownType
        }
    }

    /// At least three vertices, each `[latitude, longitude]` on the globe.
    private static func checkPolygon(_ value: JSONValue?) throws(FieldValueError) {
        guard let vertices = value?.arrayValue, vertices.count >= 3 else {
            throw .shape(type: "Polygon")
        }
        for vertex in vertices {
            guard let pair = vertex.arrayValue, pair.count == 2, let lat = pair[0].doubleValue,
                let lon = pair[1].doubleValue
            else { throw .shape(type: "Polygon") }
            do {
                _ = try LonLat(lon: lon, lat: lat)
            } catch {
                throw .coordinate(error)
            }
        }
    }

    /// Nested keys must stay addressable as `field.key`.
    private static func checkNested(_ value: JSONValue) throws(FieldValueError) {
        switch value {
        case .array(let values):
            for element in values { try checkNested(element) }
        case .object(let members):
            for member in members {
                let hasSign = member.key.utf8.contains {
                    $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: ".")
                }
                guard !hasSign else { throw .nestedKey(member.key) }
                try checkNested(member.value)
            }
        case .number(let number):
            guard number.isFinite else { throw .notFinite }
        default: break
        }
    }
}
