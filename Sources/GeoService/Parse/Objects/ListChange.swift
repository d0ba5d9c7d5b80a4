import JSONText

/// What an operation does to a list.
struct ListChange: Hashable, Sendable {
    /// The operations.
    enum Kind: Hashable, Sendable {
        /// Appends the elements.
        case add
        /// Appends those that no element is equal to, each once.
        case addUnique
        /// Takes out all elements that are equal to one of these.
        case remove
    }

    let kind: Kind
    let elements: [JSONValue]

    /// Reads `{"__op": "Add", "objects": […]}`.
    ///
    /// - Throws: As ``FieldChange/elements(of:in:)``.
    init(_ kind: Kind, _ operation: JSONValue, of field: String) throws(ParseError) {
        self.kind = kind
        elements = try FieldChange.elements(of: operation, in: field).map(WireValue.element)
    }

    /// The list after the change. Elements are equal when their values are, however deep; pointers
    /// when they lead to the same object.
    ///
    /// - Complexity: O(size of both lists).
    func applied(to former: [JSONValue]) -> [JSONValue] {
        switch kind {
        case .add: return former + elements
        case .addUnique:
            var known = Set(former.map(WireValue.element))
            return former + elements.filter { known.insert($0).inserted }
        case .remove:
            let gone = Set(elements)
            return former.filter { !gone.contains(WireValue.element($0)) }
        }
    }
}
