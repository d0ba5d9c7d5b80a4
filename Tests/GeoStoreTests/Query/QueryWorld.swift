import GeoIndex
import JSONText
import TestSupport
import Testing

@testable import GeoStore

/// A class with random objects, an index of their places as the map has one, and some indexes of
/// fields.
struct QueryWorld {
    let scratch: Scratch
    let store: SQLiteStore
    let index = LayerIndex(BulkBuilder().build())
    static let now = Timestamp(milliseconds: 50_000)
    static let callers: [Principals] = [
        .anonymous, .master, Principals(user: "u1", roles: []),
        Principals(user: "u2", roles: ["r"]),
    ]
    static let indexed = ["n", "s", "tags", "p", "o.k", "expiresAt", "mixed"]

    init(_ random: inout SeededGenerator) throws {
        scratch = try Scratch()
        store = try scratch.open()
        let index = index
        store.observeCommits { changes, _ in
            let edits = changes.map { change in
                let placed = change.locatedAfter.flatMap { $0.isPublic ? $0 : nil }
                return ObjectEdit(
                    id: change.objectId,
                    placement: placed.map {
                        Placement(
                            position: RoundedPosition($0.position),
                            time: $0.createdAt.milliseconds,
                            expires: $0.expiresAt?.milliseconds)
                    })
            }
            do { try index.apply(edits) } catch { Issue.record(error) }
        }
        var documents: [Document] = []
        for _ in 0..<90 {
            var document = try QueryWorld.document(&random)
            document.objectId = "id\(documents.count * 7919 % 1000)"
            documents.append(document)
        }
        let made = documents
        try store.write { for document in made { try $0.insert(document) } }
        // Some before the objects change, some after: a build in the middle of writes.
        try build(QueryWorld.indexed.prefix(3))
        var changes: [Document] = []
        for document in made where Int.random(in: 0..<3, using: &random) == 0 {
            var changed = try QueryWorld.document(&random)
            changed.objectId = document.objectId
            changed.createdAt = document.createdAt
            changes.append(changed)
        }
        let gone = made.filter { _ in Int.random(in: 0..<9, using: &random) == 0 }.map(\.objectId)
        let changed = changes
        _ = try store.write { try $0.declareIndex("p", of: "T") }
        _ = try store.write { try $0.buildIndex("p", of: "T", limit: 20) }
        try store.write { transaction in
            for document in changed { try transaction.replace(document) }
            for id in gone { try transaction.delete("T", id) }
        }
        try build(QueryWorld.indexed.dropFirst(3))
    }

    private func build(_ fields: some Collection<String>) throws {
        for field in fields {
            _ = try store.write { try $0.declareIndex(field, of: "T") }
            while try store.write({ try $0.buildIndex(field, of: "T", limit: 17) }) {}
        }
    }

    private static func document(_ random: inout SeededGenerator) throws -> Document {
        var fields = JSONObject()
        func maybe(_ name: String, _ value: JSONValue) {
            if Int.random(in: 0..<4, using: &random) > 0 { fields[name] = value }
        }
        maybe("n", .integer(.random(in: -3...3, using: &random)))
        maybe("s", .string(["", "ab", "abc", "é", "b", "abd"].randomElement(using: &random) ?? ""))
        let tags = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
            JSONValue.integer(.random(in: 0...4, using: &random))
        }
        maybe("tags", .array(tags))
        maybe("p", pointer(&random))
        maybe("o", ["k": .number(Double.random(in: -1...1, using: &random).rounded())])
        if let place = places.randomElement(using: &random) { maybe("place", place) }
        if Bool.random(using: &random) {
            let time = Timestamp(milliseconds: .random(in: 0...100_000, using: &random))
            fields["expiresAt"] = ["__type": "Date", "iso": .string(time.description)]
        }
        if Int.random(in: 0..<6, using: &random) == 0 { fields["locationAccuracy"] = 50_000 }
        let lists: [JSONValue?] = [
            nil, nil, nil, [:], ["*": ["read": true]], ["u1": ["read": true]],
            ["role:r": ["read": true], "u1": ["read": true]], ["role:r": ["read": true]],
        ]
        let acl = try (lists.randomElement(using: &random) ?? nil).map { try AccessList($0) }
        return Document(
            className: "T", objectId: "",
            createdAt: Timestamp(milliseconds: .random(in: 0...6, using: &random)),
            updatedAt: Timestamp(milliseconds: .random(in: 6...9, using: &random)), acl: acl,
            fields: fields)
    }

    static func pointer(_ random: inout SeededGenerator) -> JSONValue {
        [
            "__type": "Pointer", "className": "A",
            "objectId": .string("a\(Int.random(in: 0...4, using: &random))"),
        ]
    }

    /// Poles, the antimeridian from both sides, a clump, and the antipode of the clump.
    static let places: [JSONValue] = [
        (180, 0), (-180, 0), (179.9, 1), (-179.9, -1), (0, 90), (77, 89.9), (0, -90), (13.4, 52.5),
        (13.41, 52.5), (13.4, 52.5001), (-166.6, -52.5), (10, 0), (-10, 0),
    ].map { ["__type": "GeoPoint", "latitude": .number($0.1), "longitude": .number($0.0)] }

    /// What a query is told about a caller.
    ///
    /// - Parameter isAsked: Whether each object is made a document and asked about.
    func access(
        _ caller: Principals, _ catalog: SchemaCatalog, isAsked: Bool = false
    ) -> QueryAccess {
        let snapshot = caller.isMaster ? index.current : index.current(at: 50_000)
        return QueryAccess(
            scope: { _ in QueryWorld.scope(caller) },
            shown: { QueryWorld.shown($0, caller) }, schema: { catalog[$0] },
            places: { _ in snapshot },
            stored: { _ in
                isAsked ? nil : StoredView(caller, now: caller.isMaster ? nil : QueryWorld.now)
            },
            seesEverything: caller.isMaster)
    }

    private static func scope(_ caller: Principals) -> ObjectScope {
        caller.isMaster
            ? .all
            : ObjectScope(
                readers: caller,
                expiry: ObjectScope.Expiry(field: LocatedObject.expiryField, now: now))
    }

    static func shown(_ document: Document, _ caller: Principals) -> Document? {
        if caller.isMaster { return document }
        guard caller.mayRead(document.acl), !(scope(caller).expiry?.isOver(document) ?? false)
        else { return nil }
        return document.shown
    }
}
