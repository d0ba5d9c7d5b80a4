package import GeoIndex
package import JSONText

/// The value of a field in the form in which queries compare it; 17 bytes, and texts beyond 15
/// bytes, lists and objects on the heap.
///
/// Equality is Parse's: numbers as doubles, texts byte by byte, pointers by class and id, files by
/// name, places in units of 1e-7°, rings whether they were closed or not, objects deeply.
package enum FieldValue: Sendable {
    /// The object has no such field.
    case missing
    /// The field is there and null.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A date, in milliseconds since 1970.
    case date(Int64)
    /// A text.
    case text(String)
    /// A pointer: `Class/id`.
    case reference(String)
    /// A file, by its name.
    case file(String)
    /// A GeoPoint.
    case place(RoundedPosition)
    /// A list, a polygon or an object.
    case compound(Compound)

    /// A value of parts.
    package final class Compound: Sendable {
        /// The parts.
        enum Parts: Hashable, Sendable {
            case list([FieldValue])
            case polygon([RoundedPosition])
            case object(JSONObject)
        }

        let parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    /// The elements, when this is a list.
    var list: [FieldValue]? {
        if case .compound(let compound) = self, case .list(let elements) = compound.parts {
            elements
        } else {
            nil
        }
    }

    /// The ring without its repeated end, when this is a polygon.
    var polygon: [RoundedPosition]? {
        if case .compound(let compound) = self, case .polygon(let ring) = compound.parts {
            ring
        } else {
            nil
        }
    }

    /// Whether this is missing or null.
    var isNothing: Bool {
        switch self {
        case .missing, .null: true
        default: false
        }
    }
}

extension FieldValue: Hashable {
    package static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.missing, .missing), (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
        case (.reference(let a), .reference(let b)): a.hasSameBytes(as: b)
        case (.file(let a), .file(let b)): a.hasSameBytes(as: b)
        case (.place(let a), .place(let b)): a == b
        case (.compound(let a), .compound(let b)): a === b || a.parts == b.parts
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .missing, .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .text(let value), .reference(let value), .file(let value): hasher.combine(value)
        case .place(let value): hasher.combine(value)
        case .compound(let value): hasher.combine(value.parts)
        }
    }
}

extension FieldValue {
    /// The value of a stored field. O(size of the value).
    package init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(Double(value))
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        case .array(let values):
            self = .compound(Compound(.list(values.map { FieldValue($0) })))
        case .object(let members):
            self = FieldValue.typed(members) ?? .compound(Compound(.object(members)))
        }
    }

    /// The value of an object that is a complete one of Parse's types, else nil.
    private static func typed(_ members: JSONObject) -> FieldValue? {
        guard case .string(let type)? = members["__type"] else { return nil }
        switch type {
        case "Date":
            return members["iso"]?.stringValue.flatMap(Timestamp.init(rfc3339:))
                .map { .date($0.milliseconds) }
        case "Pointer", "Object":
            guard let name = members["className"]?.stringValue,
                let id = members["objectId"]?.stringValue
            else { return nil }
            return .reference("\(name)/\(id)")
        case "File":
            return members["name"]?.stringValue.map { .file($0) }
        case "GeoPoint":
            guard let position = try? GeoPointField.position(ofPoint: members) else { return nil }
            return .place(RoundedPosition(position))
        case "Polygon":
            return WhereRing.vertices(members["coordinates"]).map {
                .compound(Compound(.polygon($0)))
            }
        default: return nil
        }
    }

    /// The value at a path of a document. O(length of the path) and O(size of the value).
    package init(_ path: WherePath, of document: Document) {
        if path.names.count == 1 {
            switch path.names[0] {
            case "objectId": self = .text(document.objectId)
            case "createdAt": self = .date(document.createdAt.milliseconds)
            case "updatedAt": self = .date(document.updatedAt.milliseconds)
            default: self.init(path, in: document.fields)
            }
            return
        }
        self.init(path, in: document.fields)
    }

    /// The value at a path of fields. O(length of the path) and O(size of the value).
    init(_ path: WherePath, in fields: JSONObject) {
        var value = fields[path.names[0]]
        for name in path.names.dropFirst() {
            // Only plain objects have members that can be asked: a GeoPoint's latitude is none.
            guard case .object(let members)? = value, !members.contains("__type") else {
                self = .missing
                return
            }
            value = members[name]
        }
        self = value.map { FieldValue($0) } ?? .missing
    }

    /// About how much memory the value takes beside its 24 bytes. O(parts).
    package var heapBytes: Int {
        switch self {
        case .text(let text), .reference(let text), .file(let text):
            text.utf8.count > 15 ? 32 + text.utf8.count : 0
        case .compound(let compound):
            switch compound.parts {
            case .list(let elements): elements.reduce(80) { $0 + 24 + $1.heapBytes }
            case .polygon(let ring): 80 + 8 * ring.count
            case .object(let members): 80 + FieldValue.bytes(of: .object(members))
            }
        default: 0
        }
    }

    private static func bytes(of json: JSONValue) -> Int {
        switch json {
        case .null, .bool, .integer, .number: 0
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(0) { $0 + 32 + bytes(of: $1) }
        case .object(let members):
            members.reduce(0) { $0 + 64 + $1.key.utf8.count + bytes(of: $1.value) }
        }
    }
}
