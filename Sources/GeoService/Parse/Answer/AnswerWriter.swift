import GeoStore
import JSONText

/// Writes the objects of an answer in the form of the wire, as a caller asked to see them.
///
///     let writer = AnswerWriter(try AnswerShape(parameters), caller)
///     json.beginArray()
///     try writer.write(objects, of: reader, to: &json, &budget)  // a page of results
///     json.endArray()
///
/// A pointer that the shape follows becomes `{"__type": "Object", "className": …, …}` when there is
/// such an object for the caller: rights, expiry and coarse places count for each as they do for
/// the objects themselves. Otherwise the member is left out, or the element of an array. Objects
/// for pointers are read in batches, once for each call of `write`; what they may cost is bounded
/// by the ``AnswerBudget``.
///
/// What is shown as it is stored is copied as the text that the store holds: it was written by the
/// same writer, so that the bytes are the same.
struct AnswerWriter: Sendable {
    let shape: AnswerShape
    let caller: ParseCaller
    private let plain: ObjectWriter

    init(_ shape: AnswerShape, _ caller: ParseCaller) {
        self.shape = shape
        self.caller = caller
        plain = ObjectWriter(links: caller.links)
    }

    /// Writes objects one after another, as elements of an array or as the whole answer.
    ///
    /// - Parameter objects: What the caller may see, as he sees it.
    /// - Throws: ``ParseError`` 155 when the answer gets too large, ``StoreError``.
    /// - Complexity: O(length of what is written + objects read for pointers · log n).
    func write(
        _ objects: [FoundObject], of reader: borrowing Reader, to json: inout JSONWriter,
        _ budget: inout AnswerBudget
    ) throws {
        var included = IncludedObjects(shape, caller)
        if !shape.followsNothing {
            try included.load(for: objects.map { try $0.document() }, of: reader, &budget)
        }
        for object in objects {
            included.learnRelations(of: object.className)
            json.beginObject()
            if case .stored(let stored) = object, isCopied(stored, included) {
                plain.write(stored, to: &json)
            } else {
                try write(
                    object.document(), at: AnswerShape.root, included, to: &json, &budget)
            }
            json.endObject()
            try budget.check(json.bytes.count)
        }
    }

    /// Whether an object is written as it is stored: without an address for a file, relations that
    /// nothing was put in, and what the shape changes.
    private func isCopied(_ object: StoredObject, _ included: IncludedObjects) -> Bool {
        shape.isPlain && !included.hasRelations(object.className) && !object.mayHaveFile
    }

    /// Writes the members of an object.
    private func write(
        _ document: Document, at node: Int, _ included: IncludedObjects,
        to json: inout JSONWriter, _ budget: inout AnswerBudget
    ) throws(ParseError) {
        plain.begin(document, to: &json)
        let fields = included.withRelations(document)
        if shape.isPlain {
            plain.write(fields, to: &json)
        } else {
            try write(fields, at: node, isPlain: false, included, to: &json, &budget)
        }
        plain.end(document, to: &json)
    }

    private func write(
        _ members: JSONObject, at node: Int, isPlain: Bool, _ included: IncludedObjects,
        to json: inout JSONWriter, _ budget: inout AnswerBudget
    ) throws(ParseError) {
        for member in members {
            switch shape.treatment(of: member.key, at: node, isPlain: isPlain) {
            case .hidden: continue
            case .whole:
                json.key(member.key)
                plain.write(member.value, to: &json)
            case .shaped(let child):
                if isGone(member.value, at: child, included) { continue }
                json.key(member.key)
                try write(member.value, at: child, included, to: &json, &budget)
            }
        }
    }

    private func write(
        _ value: JSONValue, at node: Int, _ included: IncludedObjects,
        to json: inout JSONWriter, _ budget: inout AnswerBudget
    ) throws(ParseError) {
        switch value {
        case .array(let elements):
            json.beginArray()
            for element in elements where !isGone(element, at: node, included) {
                if element.arrayValue == nil {
                    try write(element, at: node, included, to: &json, &budget)
                } else {
                    plain.write(element, to: &json)
                }
            }
            json.endArray()
            // Elements that are left out take time, too.
            try budget.follow(pointers: elements.count)
        case .object(let members):
            if let object = target(of: members, at: node, included) {
                // The same object may be written again and again, each time with all below it.
                try budget.follow(pointers: 1)
                try budget.check(json.bytes.count)
                json.beginObject()
                json.key("__type")
                json.string("Object")
                json.key("className")
                json.string(object.className)
                try write(object, at: node, included, to: &json, &budget)
                json.endObject()
            } else if members.contains("__type") {
                plain.write(value, to: &json)
            } else {
                json.beginObject()
                try write(members, at: node, isPlain: true, included, to: &json, &budget)
                json.endObject()
            }
        default: plain.write(value, to: &json)
        }
    }

    /// The object that a followed pointer leads to.
    private func target(
        of members: JSONObject, at node: Int, _ included: IncludedObjects
    ) -> Document? {
        guard shape.nodes[node].isFollowed, let reference = IncludedObjects.Reference(members)
        else { return nil }
        return included[reference]
    }

    /// Whether a value is a followed pointer that leads to nothing that is there for the caller.
    private func isGone(_ value: JSONValue, at node: Int, _ included: IncludedObjects) -> Bool {
        guard shape.nodes[node].isFollowed, let members = value.objectValue,
            let reference = IncludedObjects.Reference(members)
        else { return false }
        return included[reference] == nil
    }
}
