import GeoIndex
import JSONText
import Testing

@testable import GeoStore

/// A class with random objects, an index of their places as the map has one, and some indexes of
/// fields.
private struct QueryWorld {
    let scratch: Scratch
    let store: SQLiteStore
    let index = LayerIndex(BulkBuilder().build())
    static let now = Timestamp(milliseconds: 50_000)
    static let callers: [Principals] = [
        .anonymous, .master, Principals(user: "u1", roles: []),
        Principals(user: "u2", roles: ["r"]),
    ]
    static let indexed = ["n", "s", "tags", "p", "o.k", "expiresAt", "mixed"]

    init(_ random: inout SeededRandom) throws {
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

    private static func document(_ random: inout SeededRandom) throws -> Document {
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

    static func pointer(_ random: inout SeededRandom) -> JSONValue {
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

    // MARK: - Questions

    static func condition(_ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
        var members = JSONObject()
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let (name, value) = test(&random)
            members[name] = value
        }
        if depth < 2, Int.random(in: 0..<4, using: &random) == 0 {
            let parts = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                condition(&random, depth: depth + 1)
            }
            members[["$or", "$and", "$nor"].randomElement(using: &random) ?? "$or"] = .array(parts)
        }
        return .object(members)
    }

    private static func test(_ random: inout SeededRandom) -> (String, JSONValue) {
        let number = JSONValue.integer(.random(in: -3...3, using: &random))
        let text = JSONValue.string(
            ["ab", "abc", "é", "", "zz"].randomElement(using: &random) ?? "")
        let place = places.randomElement(using: &random) ?? .null
        let radius: Double = [0.0, 1e-9, 0.01, 0.5, 1.6, 3.2].randomElement(using: &random) ?? 0
        let date: JSONValue = [
            "__type": "Date",
            "iso": .string(
                Timestamp(milliseconds: .random(in: 0...6, using: &random)).description),
        ]
        let all: [(String, JSONValue)] = [
            ("n", number), ("n", ["$gt": number]), ("n", ["$lte": number, "$gt": -2]),
            ("n", ["$in": [number, 1]]), ("n", ["$ne": number]), ("n", .null),
            ("s", text), ("s", ["$regex": "^\\Qab\\E"]), ("s", ["$regex": "^ab?"]),
            ("s", ["$gte": text]), ("s", ["$regex": "^a|b"]), ("s", ["$exists": false]),
            ("tags", number), ("tags", ["$gt": 1, "$lt": 1]), ("tags", ["$all": [1, 2]]),
            ("tags", ["$in": [0, 4]]), ("tags", .array([1])), ("tags", .array([])),
            ("p", pointer(&random)), ("p", ["$in": [pointer(&random), pointer(&random)]]),
            ("o.k", 1), ("o.k", ["$lt": 1]), ("mixed", .null),
            ("objectId", "id791"), ("objectId", ["$in": ["id791", "id0", "none", 5]]),
            ("objectId", ["$gt": "id4"]), ("objectId", ["$lt": "id8", "$gte": "id2"]),
            ("createdAt", ["$lte": date]), ("createdAt", ["$gt": date]), ("createdAt", date),
            ("expiresAt", ["$gt": date]),
            ("place", ["$nearSphere": place]),
            ("place", ["$nearSphere": place, "$maxDistance": .number(radius)]),
            ("place", ["$nearSphere": place, "$maxDistance": .number(radius)]),
            ("place", ["$geoWithin": ["$centerSphere": [place, .number(radius)]]]),
            ("place", ["$within": ["$box": [[170, -10], [-170, 10]]]]),
            ("place", ["$within": ["$box": [[-20, -90], [20, 60]]]]),
            ("place", ["$within": ["$box": [[10.0000001, -90], [10, 90]]]]),
            (
                "place",
                ["$geoWithin": ["$polygon": [[178, -5], [-178, -5], [-178, 5], [178, 5]]]]
            ),
            ("place", ["$geoWithin": ["$polygon": [[13.4, 52.5], [14, 52], [14, 53]]]]),
            ("place", place), ("place", ["$ne": place]),
        ]
        return all.randomElement(using: &random) ?? ("n", 1)
    }

    static func order(_ random: inout SeededRandom) -> [ObjectOrder] {
        let keys: [ObjectOrder.Key] = [
            .objectId, .createdAt, .createdAt, .updatedAt, .field(["n"]), .field(["s"]),
            .field(["o", "k"]),
        ]
        return (0..<Int.random(in: 0...2, using: &random)).map { _ in
            ObjectOrder(
                keys.randomElement(using: &random) ?? .objectId,
                isDescending: .random(using: &random))
        }
    }

    // MARK: - Access

    func access(_ caller: Principals, _ catalog: SchemaCatalog) -> QueryAccess {
        let snapshot = caller.isMaster ? index.current : index.current(at: 50_000)
        return QueryAccess(
            scope: { _ in QueryWorld.scope(caller) },
            shown: { QueryWorld.shown($0, caller) }, schema: { catalog[$0] },
            places: { _ in snapshot }, seesEverything: caller.isMaster)
    }

    private static func scope(_ caller: Principals) -> ObjectScope {
        caller.isMaster
            ? .all
            : ObjectScope(
                readers: caller,
                expiry: ObjectScope.Expiry(field: LocatedObject.expiryField, now: now))
    }

    private static func shown(_ document: Document, _ caller: Principals) -> Document? {
        if caller.isMaster { return document }
        guard caller.mayRead(document.acl), !(scope(caller).expiry?.isOver(document) ?? false)
        else { return nil }
        return document.shown
    }

    // MARK: - The twin

    /// All that match, in order: every object is looked at, and compared as plainly as can be.
    func twin(_ query: ObjectQuery, _ caller: Principals) throws -> [Document] {
        var found: [Document] = []
        try store.read { reader in
            try reader.scan("T") { document in
                if let shown = QueryWorld.shown(document, caller),
                    try query.condition?.matches(shown) ?? true
                {
                    found.append(shown)
                }
                return true
            }
        }
        return found.sorted { left, right in
            if query.order.isEmpty, let near = query.condition?.near {
                let (a, b) = (QueryWorld.distance(left, near), QueryWorld.distance(right, near))
                if a != b { return a < b }
            }
            for key in query.order {
                let (a, b) = (QueryWorld.rank(left, key), QueryWorld.rank(right, key))
                if a != b {
                    let isLess =
                        a.0 != b.0
                        ? a.0 < b.0
                        : a.1 != b.1 ? a.1 < b.1 : a.2.utf8.lexicographicallyPrecedes(b.2.utf8)
                    return isLess != key.isDescending
                }
            }
            return left.objectId.utf8.lexicographicallyPrecedes(right.objectId.utf8)
        }
    }

    private static func distance(_ document: Document, _ near: Where.Near) -> Double {
        guard let place = document.location?.position else { return .infinity }
        return SphericalGeodesy.haversine(from: near.centre, to: RoundedPosition(place))
    }

    private static func rank(
        _ document: Document, _ order: ObjectOrder
    ) -> (Int, Double, String) {
        switch order.key {
        case .objectId: return (2, 0, document.objectId)
        case .createdAt: return (1, Double(document.createdAt.milliseconds), "")
        case .updatedAt: return (1, Double(document.updatedAt.milliseconds), "")
        case .field(let names):
            let value = names.reduce(JSONValue.object(document.fields)) { $0[$1] ?? .null }
            if let text = value.stringValue { return (2, 0, text) }
            return value.doubleValue.map { (1, $0, "") } ?? (0, 0, "")
        }
    }
}

@Suite("Queries and their brute-force twin")
struct QueryTwinTests {
    @Test("every source gives what looking at every object gives", arguments: 0..<6)
    func sources(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let world = try QueryWorld(&random)
        defer { world.store.close() }
        let catalog = world.store.catalog
        var used: Set<QueryPlan.Kind> = []
        for turn in 0..<40 {
            var json = QueryWorld.condition(&random)
            if turn == 1 { json = ["objectId": ["$in": ["id0", "id791", "id838"]]] }
            if turn % 8 == 0 {
                // The order of the distance, whatever else is asked.
                let place = QueryWorld.places.randomElement(using: &random) ?? .null
                json = ["$and": [json], "place": ["$nearSphere": place]]
            }
            var query = ObjectQuery(
                "T", try Where(json, of: "T", options: .init(takesNear: true)),
                limit: [0, 1, 5, 20, 1000].randomElement(using: &random) ?? 5)
            if json == [:], Bool.random(using: &random) { query.condition = nil }
            if turn % 8 > 0 { query.order = QueryWorld.order(&random) }
            query.skip = [0, 0, 3, 40].randomElement(using: &random) ?? 0
            query.wantsCount = turn % 8 > 0 && Int.random(in: 0..<3, using: &random) == 0
            for caller in QueryWorld.callers {
                let all = try world.twin(query, caller)
                let page = all.dropFirst(query.skip).prefix(query.limit)
                for kind in [nil] + QueryPlan.Kind.allCases.map({ $0 }) {
                    let found = try world.store.read {
                        try $0.select(query, for: world.access(caller, catalog), from: kind)
                    }
                    if let source = found.source { used.insert(source) }
                    let note: Comment =
                        "seed \(seed), turn \(turn), \(json), \(query.order), \(kind as Any), \(caller)"
                    #expect(found.ids == page.map(\.objectId), note)
                    if let documents = found.documents { #expect(documents == Array(page), note) }
                    #expect(found.count == (query.wantsCount ? all.count : nil), note)
                }
            }
        }
        #expect(used == Set(QueryPlan.Kind.allCases))
    }

    @Test("a page by an indexed pointer in the order of time reads the page alone")
    func readsThePage() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<3_000 {
                try transaction.insert(
                    Document(
                        className: "Post", objectId: "p\(number)",
                        createdAt: Timestamp(milliseconds: Int64(number)),
                        fields: [
                            "author": [
                                "__type": "Pointer", "className": "_User",
                                "objectId": .string("u\(number % 3)"),
                            ]
                        ]))
            }
        }
        var query = ObjectQuery(
            "Post",
            try Where(
                ["author": ["__type": "Pointer", "className": "_User", "objectId": "u1"]],
                of: "Post"), limit: 20)
        query.order = [ObjectOrder(.createdAt, isDescending: true)]
        func find() throws -> ObjectSelection {
            let catalog = store.catalog
            return try store.read {
                try $0.select(
                    query,
                    for: QueryAccess(
                        scope: { _ in ObjectScope(readers: .anonymous) }, shown: { $0 },
                        schema: { catalog[$0] }, seesEverything: false))
            }
        }
        let before = try find()
        #expect(before.lookedAt > 50)
        _ = try store.write { try $0.declareIndex("author", of: "Post") }
        while try store.write({ try $0.buildIndex("author", of: "Post", limit: 400) }) {}
        let after = try find()
        #expect(after.ids == before.ids && after.ids.first == "p2998")
        #expect(after.lookedAt == 20)
        #expect(after.indexedField == "author")
        // Without the index it is as before.
        _ = try store.write { try $0.dropIndex("author", of: "Post") }
        #expect(try find().ids == before.ids)
        while try store.write({ try $0.buildIndex("author", of: "Post", limit: 400) }) {}
        #expect(try store.read { try $0.indexes(of: "Post") }.isEmpty)
    }

    @Test("a class has eight indexes at most, and a field one")
    func limits() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { try $0.insert(.spot("a")) }
        let made = try store.write { transaction in
            try (0..<10).map { try transaction.declareIndex("f\($0 % 9)", of: "Spot") }
        }
        #expect(made == [Bool](repeating: true, count: 8) + [false, false])
        #expect(try store.write { try $0.declareIndex("f", of: "None") } == false)
        #expect(throws: WhereError.self) {
            try store.write { try $0.declareIndex("a b", of: "Spot") }
        }
    }

    @Test("an index that a long list would fill is given up, and queries stay right")
    func longLists() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        let long = JSONValue.array((0..<1_000).map { .integer($0) })
        try store.write { transaction in
            try transaction.insert(.spot("a", ["tags": [1, 2]]))
            try transaction.declareIndex("tags", of: "Spot")
        }
        while try store.write({ try $0.buildIndex("tags", of: "Spot") }) {}
        #expect(try store.read { try $0.indexes(of: "Spot").map(\.state) } == [.whole])
        try store.write { try $0.insert(.spot("b", ["tags": long])) }
        #expect(try store.read { try $0.indexes(of: "Spot").map(\.state) } == [.dropping])
        let condition = try Where(["tags": 900], of: "Spot")
        let catalog = store.catalog
        let found = try store.read {
            try $0.select(
                ObjectQuery("Spot", condition, limit: 10),
                for: QueryAccess(
                    scope: { _ in .all }, shown: { $0 }, schema: { catalog[$0] },
                    seesEverything: true))
        }
        #expect(found.ids == ["b"])
    }
}

@Suite("Keys of indexes")
struct ValueKeyTests {
    @Test("keys compare as the values do", arguments: 0..<20)
    func order(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let numbers: [Double] = [
            0, -0.0, 1, -1, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
            .leastNonzeroMagnitude,
            Double.random(in: -10...10, using: &random), Double(bitPattern: random.next() >> 2),
        ]
        for a in numbers {
            for b in numbers {
                let (x, y) = (ValueKey.key(of: .number(a)), ValueKey.key(of: .number(b)))
                #expect(x.lexicographicallyPrecedes(y) == (a < b) && (x == y) == (a == b))
            }
        }
        let dates: [Int64] = [.min, -1, 0, 1, .max, .random(in: -9...9, using: &random)]
        for a in dates {
            for b in dates {
                let (x, y) = (ValueKey.key(of: .date(a)), ValueKey.key(of: .date(b)))
                #expect(x.lexicographicallyPrecedes(y) == (a < b))
            }
        }
    }

    @Test("a pattern has a prefix only when every match begins with it")
    func prefixes() throws {
        for (pattern, prefix) in [
            ("^\\QPa\\E", "Pa"), ("^Pa", "Pa"), ("^Pa$", "Pa"), ("^Pa.*", "Pa"), ("^Pab?", "Pa"),
            ("^Pab*", "Pa"), ("^\\Qa.b\\E", "a.b"), ("^a|b", nil), ("Pa", nil), ("^(a)", nil),
            ("^\\Qa|b\\E", "a|b"), ("^\\Qa\\E|b", nil), ("^ab{0}", "a"), ("^", nil),
        ] as [(String, String?)] {
            #expect(WherePattern.prefix(of: pattern) == prefix, "\(pattern)")
        }
        #expect(try WherePattern("^pa", options: "i", at: "").prefix == nil)
        #expect(try WherePattern("^pa", options: "m", at: "").prefix == nil)
        #expect(try WherePattern("^pa", options: "s", at: "").prefix == "pa")
    }
}
