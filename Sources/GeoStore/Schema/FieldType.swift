package import GeoIndex

/// The type of a field: fixed by the first value that is not null.
package enum FieldType: Hashable, Sendable {
    case string, number, boolean, date, object, array, geoPoint, polygon, file, bytes
    /// A reference to one object of the class.
    case pointer(String)
    /// References to any number of objects of the class.
    case relation(String)
}

extension FieldType: CustomStringConvertible {
    /// Parse's name of the type, `Pointer<_User>` for pointers.
    package var description: String {
        switch self {
        case .string: "String"
        case .number: "Number"
        case .boolean: "Boolean"
        case .date: "Date"
        case .object: "Object"
        case .array: "Array"
        case .geoPoint: "GeoPoint"
        case .polygon: "Polygon"
        case .file: "File"
        case .bytes: "Bytes"
        case .pointer(let target): "Pointer<\(target)>"
        case .relation(let target): "Relation<\(target)>"
        }
    }

    /// The type of that description, or nil.
    package init?(_ description: String) {
        let plain: [FieldType] = [
            .string, .number, .boolean, .date, .object, .array, .geoPoint, .polygon, .file, .bytes,
        ]
        if let type = plain.first(where: { $0.description == description }) {
            self = type
        } else if let target = FieldType.target(in: description, after: "Pointer<") {
            self = .pointer(target)
        } else if let target = FieldType.target(in: description, after: "Relation<") {
            self = .relation(target)
        } else {
            return nil
        }
    }

    private static func target(in text: String, after prefix: String) -> String? {
        guard text.hasPrefix(prefix), text.hasSuffix(">") else { return nil }
        let target = String(text.dropFirst(prefix.count).dropLast())
        return Naming.isClassName(target) ? target : nil
    }
}

/// What is wrong with a field's value, whatever its class.
package enum FieldValueError: Error, Equatable, Sendable {
    /// `__type` is no text or no type that there is.
    case unknownType
    /// An operation such as `Increment` where a value belongs.
    case operation
    /// A value of that type lacks a member or has one of a wrong kind.
    case shape(type: String)
    /// A GeoPoint does not have exactly a latitude and a longitude that are numbers.
    case geoPointShape
    /// A GeoPoint or a vertex is not on the globe.
    case coordinate(CoordinateError)
    /// A number is not finite.
    case notFinite
    /// A key inside the value has `$` or `.` in it.
    case nestedKey(String)
    /// The accuracy of an object's place is no number of metres, or one out of range.
    case locationAccuracy
}

extension FieldValueError: CustomStringConvertible {
    /// The rest of a sentence that begins with the field's name.
    package var description: String {
        switch self {
        case .unknownType: "has a __type that does not exist"
        case .operation: "has an operation where a value belongs"
        case .shape(let type): "is no complete \(type)"
        case .geoPointShape: "is no GeoPoint: it needs latitude and longitude, both numbers"
        case .coordinate(let error): "is not on the globe: \(error)"
        case .notFinite: "is a number that is not finite"
        case .nestedKey(let key): "has a nested key with $ or . in it: \(key)"
        case .locationAccuracy:
            "must be a number of metres from 0 to \(Int(LocationAccuracy.greatestMeters))"
        }
    }
}
