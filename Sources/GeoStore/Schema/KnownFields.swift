import JSONText

/// The fields of the last document of a class and their types: the documents of an import have
/// the same ones in the same order, and need not be judged name by name again.
///
/// Forgotten whenever the catalog goes back to an earlier state.
struct KnownFields {
    private var className = ""
    private var fields: [(name: String, type: FieldType)] = []

    /// Remembers the fields of a document that its class has just taken.
    mutating func remember(_ document: Document, _ schema: ClassSchema) {
        className = document.className
        fields.removeAll(keepingCapacity: true)
        for member in document.fields.members {
            if let type = schema.fields[member.key] { fields.append((member.key, type)) }
        }
    }

    /// Forgets everything.
    mutating func forget() {
        className = ""
        fields.removeAll(keepingCapacity: true)
    }

    /// Whether a class takes a document without anything new: its id is in order, and its fields
    /// are known ones in the known order, some left out, with values of their types. False means
    /// that it has to be judged.
    ///
    /// - Parameter place: The field whose position was read already, so that it is one.
    /// - Complexity: O(fields) beside the values' own.
    func cover(_ document: Document, place placeField: String?) -> Bool {
        guard !fields.isEmpty, document.className == className,
            ObjectID.isValid(document.objectId)
        else { return false }
        var place = 0
        for member in document.fields.members {
            while place < fields.count, !fields[place].name.hasSameBytes(as: member.key) {
                place += 1
            }
            guard place < fields.count else { return false }
            let type = fields[place].type
            guard
                type == .geoPoint && placeField == member.key
                    || KnownFields.has(type, member.value)
            else { return false }
            place += 1
        }
        return true
    }

    private static func has(_ type: FieldType, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case (.string, .string), (.number, .integer), (.boolean, .bool): true
        case (.number, .number(let number)): number.isFinite
        default: (try? FieldType.of(value)) == type
        }
    }
}
