import GeoStore
import JSONText

/// What a write does to a relation: a field of which the object itself keeps only the class of its
/// members (`{"__type": "Relation", "className": "Post"}`), and the store the members.
struct RelationChange: Hashable, Sendable {
    /// Members that come or go together.
    struct Step: Hashable, Sendable {
        let adds: Bool
        let ids: [String]
    }

    /// The class of the members; nil when there is none, so that nothing changes.
    private(set) var target: String?
    /// What is done, in order.
    private(set) var steps: [Step] = []

    /// How many operations one `Batch` may have.
    static let greatestOperations = 1_000

    /// Reads `AddRelation`, `RemoveRelation`, or a `Batch` of them.
    ///
    /// - Throws: ``ParseError`` 107 for a malformed one, 108 for another operation in a `Batch`, 111
    ///   for what is no pointer and for members of different classes, 155 for too many.
    init(_ value: JSONValue, of field: String) throws(ParseError) {
        guard value["__op"] == "Batch" else {
            try add(value, of: field)
            return
        }
        guard let operations = value["ops"]?.arrayValue else {
            throw ParseError(.invalidJSON, "\(field): Batch needs ops, an array")
        }
        guard operations.count <= Self.greatestOperations else {
            throw ParseError(
                .requestLimitExceeded,
                "\(field): a Batch has at most \(Self.greatestOperations) operations")
        }
        for operation in operations { try add(operation, of: field) }
    }

    private mutating func add(_ operation: JSONValue, of field: String) throws(ParseError) {
        let adds: Bool
        switch operation["__op"] {
        case "AddRelation"?: adds = true
        case "RemoveRelation"?: adds = false
        case let other: throw FieldChange.unknown(other ?? .null, of: field)
        }
        var ids: [String] = []
        for element in try FieldChange.elements(of: operation, in: field) {
            guard let members = WireValue.element(element).objectValue,
                let pointer = IncludedObjects.Reference(members)
            else {
                throw ParseError(.incorrectType, "\(field): a relation's objects are pointers")
            }
            guard Naming.isClassName(pointer.className), ObjectID.isValid(pointer.objectId) else {
                throw ParseError(.invalidPointer, "\(field) has a pointer that leads nowhere")
            }
            guard (target ?? pointer.className) == pointer.className else {
                throw ParseError(
                    .incorrectType,
                    "\(field): a relation's objects are of one class, not of "
                        + "\(target ?? "") and \(pointer.className)")
            }
            target = pointer.className
            ids.append(pointer.objectId)
        }
        guard count + ids.count <= FieldChange.greatestElements else {
            throw ParseError(
                .requestLimitExceeded,
                "\(field): a relation is changed by at most \(FieldChange.greatestElements) "
                    + "objects at a time")
        }
        if !ids.isEmpty { steps.append(Step(adds: adds, ids: ids)) }
    }

    /// How many members it is about.
    var count: Int { steps.reduce(0) { $0 + $1.ids.count } }

    /// What the object has in the field; nil when it is left as it is.
    var fieldValue: JSONValue? {
        target.map { ["__type": "Relation", "className": .string($0)] }
    }

    /// Adds and removes the members. The object stands in the store with ``fieldValue`` already, so
    /// that its class has judged the members' class.
    ///
    /// - Throws: ``StoreError``.
    func run(
        on field: String, of object: Document, in transaction: inout WriteTransaction
    ) throws {
        for step in steps {
            if step.adds {
                try transaction.relate(
                    step.ids, to: field, of: object.className, object.objectId)
            } else {
                try transaction.unrelate(
                    step.ids, from: field, of: object.className, object.objectId)
            }
        }
    }

    /// Takes all members out.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(members · log n).
    static func clear(
        _ field: String, of object: Document, in transaction: inout WriteTransaction
    ) throws {
        while true {
            let ids = try transaction.relatedIds(
                field, of: object.className, object.objectId, limit: pageLength)
            guard !ids.isEmpty else { return }
            try transaction.unrelate(ids, from: field, of: object.className, object.objectId)
        }
    }

    private static let pageLength = 1_000
}
