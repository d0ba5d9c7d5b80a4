import GeoStore
import JSONText

/// The objects that pointers lead to, each read once however many pointers do.
///
/// They are read level by level: what all objects of the answer point to, then what these point to,
/// as far as the shape follows. An object is there as the caller may see it, or not at all.
struct IncludedObjects {
    /// What a pointer says.
    struct Reference: Hashable {
        let className: String
        let objectId: String

        /// The reference of a value; nil unless it is a pointer.
        init?(_ members: JSONObject) {
            guard members["__type"] == "Pointer", let name = members["className"]?.stringValue,
                let id = members["objectId"]?.stringValue
            else { return nil }
            className = name
            objectId = id
        }
    }

    private let shape: AnswerShape
    private let caller: ParseCaller
    /// What was asked for; nil where there is nothing for the caller.
    private var documents: [Reference: Document?] = [:]
    private var heldBytes = 0
    /// The relations that objects of a class have.
    private var relations: [String: JSONObject] = [:]

    /// How many objects are read at a time.
    private static let batchLength = 64

    init(_ shape: AnswerShape, _ caller: ParseCaller) {
        self.shape = shape
        self.caller = caller
    }

    /// The object that a pointer leads to; nil when it is gone or hidden from the caller.
    subscript(reference: Reference) -> Document? { documents[reference] ?? nil }

    /// Reads what the objects' pointers lead to.
    ///
    /// - Throws: ``ParseError`` 155 when that is too much, ``StoreError``.
    /// - Complexity: O(size of the objects + objects read · log n).
    mutating func load(
        for roots: [Document], of reader: borrowing Reader, _ budget: inout AnswerBudget
    ) throws {
        var level = [(node: AnswerShape.root, objects: roots)]
        // Each turn goes down the tree by one name at least, so there are few.
        while !level.isEmpty {
            var met = Met()
            for visit in level {
                for object in visit.objects {
                    gather(object.fields, at: visit.node, isPlain: false, into: &met)
                }
            }
            try budget.follow(pointers: met.count)
            try read(met, of: reader, &budget)
            level = met.places.compactMap { node, references in
                guard shape.leadsOn(node) else { return nil }
                return (node, references.compactMap { self[$0] })
            }
        }
    }

    // MARK: - Relations

    /// The fields of an object, with the relations of its class in which nothing was put yet:
    /// clients look for them.
    func withRelations(_ object: Document) -> JSONObject {
        var fields = object.fields
        guard let relations = relations[object.className], !relations.isEmpty else {
            return fields
        }
        let hidden = caller.view.hiddenFields(of: object.className)
            .union(caller.view.hiddenFields(of: object))
        for relation in relations
        where (fields[relation.key]?.isNull ?? true) && !hidden.contains(relation.key) {
            fields[relation.key] = relation.value
        }
        return fields
    }

    /// Whether objects of a class have relations.
    func hasRelations(_ className: String) -> Bool { relations[className]?.isEmpty == false }

    /// Looks up the relations of a class, once. O(fields of the class).
    mutating func learnRelations(of className: String) {
        guard relations[className] == nil else { return }
        var found = JSONObject()
        if let schema = caller.catalog[className] {
            var targets: [(field: String, className: String)] = []
            for case (let name, .relation(let target)) in schema.fields
            where !schema.removedFields.contains(name) {
                targets.append((name, target))
            }
            // An answer is the same whichever order a process keeps names in.
            for target in targets.sorted(by: { $0.field < $1.field }) {
                found[target.field] = [
                    "__type": "Relation", "className": .string(target.className),
                ]
            }
        }
        relations[className] = found
    }

    // MARK: - Gathering

    /// The references that one level met, each once for each node.
    private struct Met {
        private(set) var places: [Int: Set<Reference>] = [:]
        private(set) var count = 0

        mutating func add(_ reference: Reference, at node: Int) {
            places[node, default: []].insert(reference)
            count += 1
        }
    }

    private func gather(
        _ members: JSONObject, at node: Int, isPlain: Bool, into met: inout Met
    ) {
        for member in members {
            if case .shaped(let child) = shape.treatment(
                of: member.key, at: node, isPlain: isPlain)
            {
                gather(member.value, at: child, into: &met)
            }
        }
    }

    private func gather(_ value: JSONValue, at node: Int, into met: inout Met) {
        switch value {
        case .array(let elements):
            // Lists in lists are not followed: what is followed is no deeper than its path is long.
            for element in elements where element.arrayValue == nil {
                gather(element, at: node, into: &met)
            }
        case .object(let members):
            if let reference = Reference(members) {
                if shape.nodes[node].isFollowed { met.add(reference, at: node) }
            } else if !members.contains("__type") {
                gather(members, at: node, isPlain: true, into: &met)
            }
        default: break
        }
    }

    // MARK: - Reading

    private mutating func read(
        _ met: Met, of reader: borrowing Reader, _ budget: inout AnswerBudget
    ) throws {
        var wanted: [String: [String]] = [:]
        for reference in met.places.values.joined() where !documents.keys.contains(reference) {
            documents[reference] = .some(nil)
            wanted[reference.className, default: []].append(reference.objectId)
        }
        for (className, ids) in wanted where ClassAccess.allows(className, caller) {
            learnRelations(of: className)
            try budget.read(included: ids.count)
            var rest = ids[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Self.batchLength))
                for found in try reader.objects(className, ids: batch) {
                    guard let object = found.flatMap({ caller.view.shown($0) }) else { continue }
                    heldBytes += object.fields.approximateBytes
                    try budget.check(heldBytes)
                    documents[Reference(to: object)] = object
                }
                rest = rest.dropFirst(Self.batchLength)
            }
        }
    }
}

extension IncludedObjects.Reference {
    /// The reference that a pointer to an object has.
    init(to object: Document) {
        className = object.className
        objectId = object.objectId
    }
}

extension AnswerShape {
    /// Whether pointers of the objects that lie at a node may be followed.
    fileprivate func leadsOn(_ node: Int) -> Bool {
        nodes[node].followsAll || !nodes[node].children.isEmpty
    }
}
