import GeoStore
import JSONText
import Testing

@Suite("Changes of schemas")
struct SchemaChangeTests {
    private struct Wanted: Error {}

    /// Removes a field to the end, and gives how many steps that took.
    @discardableResult
    private static func remove(
        _ field: String, _ store: SQLiteStore, limit: Int = 4,
        between: (Int) throws -> Void = { _ in }
    ) throws -> Int {
        var after: String? = ""
        var steps = 0
        while let place = after {
            after = try store.write {
                try $0.removeField(field, of: "Spot", after: place, limit: limit)
            }
            steps += 1
            if after != nil { try between(steps) }
        }
        return steps
    }

    @Test("classes and fields are added once, and judged")
    func adding() throws {
        let scratch = try Scratch()
        var store: SQLiteStore? = try scratch.open()
        try store?.write { transaction in
            let isNew = try transaction.addClass("Spot")
            #expect(isNew)
            #expect(try !transaction.addClass("Spot"))
            #expect(try transaction.addField("n", .number, to: "Spot"))
            #expect(try !transaction.addField("n", .number, to: "Spot"))
            #expect(try transaction.addField("at", .geoPoint, to: "Other"))
        }
        func refuses(_ field: String, _ type: FieldType, _ className: String, _ error: SchemaError)
        {
            #expect(throws: error) {
                try store?.write { _ = try $0.addField(field, type, to: className) }
            }
        }
        refuses(
            "n", .string, "Spot",
            .typeMismatch(className: "Spot", field: "n", expected: .number, got: .string))
        refuses("n!", .string, "Spot", .invalidFieldName(className: "Spot", field: "n!"))
        refuses("ACL", .object, "Spot", .reservedFieldName(className: "Spot", field: "ACL"))
        refuses(
            "to", .geoPoint, "Other",
            .secondGeoPoint(className: "Other", field: "to", first: "at"))
        refuses("n", .string, "1st", .invalidClassName("1st"))
        #expect(throws: SchemaError.invalidClassName("_No")) {
            try store?.write { _ = try $0.addClass("_No") }
        }
        #expect(throws: Wanted.self) {
            try store?.write { transaction in
                try transaction.addClass("Undone")
                try transaction.addField("undone", .string, to: "Spot")
                throw Wanted()
            }
        }
        for again in [false, true] {
            if again {
                store = nil
                store = try scratch.open()
            }
            let catalog = try #require(store?.catalog)
            #expect(catalog.classes.keys.sorted() == ["Other", "Spot"])
            #expect(catalog["Spot"]?.fields == ["n": .number])
            #expect(catalog["Other"]?.geoPointField == "at")
        }
        var options = StoreOptions()
        options.maximumClasses = 2
        options.maximumFieldsPerClass = 1
        store = nil
        store = try scratch.open(options)
        refuses("m", .string, "Spot", .tooManyFields(className: "Spot", limit: 1))
        refuses("m", .string, "New", .tooManyClasses(limit: 2))
    }

    @Test("a removed field goes from all objects in steps, and its name is free for another type")
    func removing() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<DocumentChange>()
        store.observeCommits { changes, _ in for change in changes { seen.add(change) } }
        try store.write { transaction in
            for number in 10..<30 {
                let more: JSONObject = number % 3 == 0 ? ["old": 1, "k": 2] : ["k": "\"old\""]
                try transaction.insert(
                    try .spot(
                        "id\(number)", number % 3 == 0 ? ["old": 1] : ["other": more["k"] ?? 1]))
            }
        }
        let before = seen.all.count
        #expect(try Self.remove("old", store) == 6)
        let changes = seen.all.dropFirst(before)
        #expect(changes.map(\.objectId) == (10..<30).filter { $0 % 3 == 0 }.map { "id\($0)" })
        for change in changes {
            #expect(change.after?.updatedAt == change.before?.updatedAt)
            #expect(change.before?.fields["old"] == 1)
            #expect(change.after?.fields.keys == ["place"])
            #expect(change.locatedBefore?.content != change.locatedAfter?.content)
        }
        #expect(store.catalog["Spot"]?.fields.keys.sorted() == ["other", "place"])
        try store.write { try $0.insert(try .spot("new", ["old": "text"])) }
        #expect(store.catalog["Spot"]?.fields["old"] == .string)
        #expect(throws: SchemaError.unknownField(className: "Spot", field: "none")) {
            try Self.remove("none", store)
        }
        #expect(throws: SchemaError.unknownField(className: "None", field: "old")) {
            try store.write { _ = try $0.removeField("old", of: "None") }
        }
    }

    @Test("between the steps others write, and no value of the field comes back")
    func meanwhile() throws {
        let scratch = try Scratch()
        var store: SQLiteStore? = try scratch.open()
        try store?.write { transaction in
            for number in 10..<30 { try transaction.insert(try .spot("id\(number)", ["old": 1])) }
        }
        func work(_ step: Int) throws {
            let refusal = SchemaError.fieldBeingRemoved(className: "Spot", field: "old")
            #expect(throws: refusal) {
                try store?.write { try $0.insert(try .spot("a\(step)", ["old": 1])) }
            }
            #expect(throws: refusal) {
                try store?.write { try $0.replace(try .spot("id29", ["old": 2])) }
            }
            #expect(throws: refusal) {
                try store?.write { _ = try $0.addField("old", .string, to: "Spot") }
            }
            // An object that has a value loses it with the next change.
            let outcome = try store?.write {
                try $0.upsert(try .spot("id29", ["n": .integer(Int64(step))]))
            }
            #expect(outcome == .updated)
            let last = try store?.read { try $0.object("Spot", "id29") }
            #expect(last?.fields.keys == ["place", "n"])
            try store?.write { try $0.insert(try .spot("a\(step)")) }
        }
        // Broken off, and taken up by another process.
        _ = try store?.write { try $0.removeField("old", of: "Spot", limit: 4) }
        try work(0)
        store = nil
        store = try scratch.open()
        #expect(store?.catalog["Spot"]?.removedFields == ["old"])
        try Self.remove("old", try #require(store), between: work)
        #expect(store?.catalog["Spot"]?.removedFields == [])
        #expect(store?.catalog["Spot"]?.fields["old"] == nil)
        try store?.read { reader in
            try reader.scan("Spot") { document in
                #expect(document.fields["old"] == nil)
                return true
            }
        }
    }

    @Test("with its GeoPoint a class loses its places; with a relation, its members")
    func kinds() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { transaction in
            try transaction.addField("fans", .relation("_User"), to: "Spot")
            for number in 10..<20 {
                try transaction.insert(try .spot("id\(number)"))
                try transaction.relate(
                    ["u1", "u2", "u3"], to: "fans", of: "Spot", "id\(number)")
            }
        }
        let seen = Collector<DocumentChange>()
        store.observeCommits { changes, _ in for change in changes { seen.add(change) } }
        try Self.remove("place", store)
        #expect(store.catalog["Spot"]?.geoPointField == nil)
        #expect(seen.all.allSatisfy { $0.locatedBefore != nil && $0.locatedAfter == nil })
        #expect(seen.all.count == 10)
        var located = 0
        try store.read { try $0.scanLocated("Spot") { _ in located += 1 } }
        #expect(located == 0)
        try store.write { _ = try $0.addField("at", .geoPoint, to: "Spot") }
        // Ten objects in steps of four, thirty members in steps of four, and the end.
        #expect(try Self.remove("fans", store) == 2 + 8 + 1)
        try store.write { _ = try $0.addField("fans", .relation("_User"), to: "Spot") }
        #expect(try store.read { try $0.owners(of: "u1", "fans", of: "Spot", limit: 99) } == [])
    }

    @Test("an empty class is deleted whole, and comes again as a new one")
    func deleting() throws {
        let scratch = try Scratch()
        var store: SQLiteStore? = try scratch.open()
        let key = UniqueKey(scope: "s", "v")
        try store?.write { transaction in
            try transaction.insert(try .spot("a", ["n": 1]))
            try transaction.setClassSettings("Spot", ["x": 1])
            try transaction.claim(key, for: "b", of: "Spot")
            #expect(try !transaction.deleteClass("None"))
        }
        #expect(throws: SchemaError.classNotEmpty("Spot")) {
            try store?.write { _ = try $0.deleteClass("Spot") }
        }
        #expect(throws: Wanted.self) {
            try store?.write { transaction in
                try transaction.delete("Spot", "a")
                try transaction.deleteClass("Spot")
                throw Wanted()
            }
        }
        #expect(store?.catalog["Spot"]?.fields.count == 2)
        let position = try store?.read { try $0.position(of: "Spot") }
        try store?.write { transaction in
            try transaction.delete("Spot", "a")
            #expect(try transaction.deleteClass("Spot"))
        }
        for again in [false, true] {
            if again {
                store = nil
                store = try scratch.open()
            }
            #expect(store?.catalog["Spot"] == nil)
            #expect(try store?.read { try $0.classes() }.isEmpty == true)
            #expect(try store?.read { try $0.holder(of: key) } == nil)
            #expect(try store?.read { try $0.classSettings("Spot") } == nil)
        }
        // Readers that knew the class find what it has now, and not that of another.
        #expect(try store?.read { try $0.object("Spot", "a") } == nil)
        try store?.write {
            try $0.insert(
                Document(
                    className: "Next", objectId: "a", createdAt: Timestamp(milliseconds: 0),
                    fields: [:]))
        }
        #expect(try store?.read { try $0.object("Spot", "a") } == nil)
        try store?.write { try $0.insert(try .spot("a", ["n": "now a text"])) }
        #expect(try store?.read { try $0.object("Spot", "a") }?.fields["n"] == "now a text")
        #expect(store?.catalog["Spot"]?.fields["n"] == .string)
        #expect(store?.catalog["Spot"]?.settings == nil)
        #expect(try store?.read { try $0.position(of: "Spot") } != position)
    }

    @Test("settings of classes are kept, replaced and removed")
    func settings() throws {
        let scratch = try Scratch()
        var store: SQLiteStore? = try scratch.open()
        let settings: JSONObject = ["find": ["*": true], "required": ["a"], "null": nil]
        try store?.write { transaction in
            try transaction.setClassSettings("Spot", settings)
            #expect(transaction.classSettings("Spot") == settings)
            try transaction.setClassSettings("None", nil)
        }
        #expect(throws: Wanted.self) {
            try store?.write { transaction in
                try transaction.setClassSettings("Spot", ["undone": true])
                throw Wanted()
            }
        }
        for again in [false, true] {
            if again {
                store = nil
                store = try scratch.open()
            }
            #expect(store?.catalog["Spot"]?.settings == settings)
            #expect(store?.catalog["None"] == nil)
            #expect(try store?.read { try $0.classSettings("Spot") } == settings)
            #expect(try store?.read { try $0.classSettings("None") } == nil)
            #expect(try store?.read { try $0.classes() }.first?.settings == settings)
        }
        let long: JSONObject = ["x": .string(String(repeating: "x", count: 1 << 20))]
        #expect(throws: StoreError.self) {
            try store?.write { try $0.setClassSettings("Spot", long) }
        }
        // Fields that come later leave them.
        try store?.write { try $0.insert(try .spot("a", ["n": 1])) }
        #expect(store?.catalog["Spot"]?.settings == settings)
        try store?.write { try $0.setClassSettings("Spot", nil) }
        #expect(store?.catalog["Spot"]?.settings == nil)
        #expect(try store?.read { try $0.classSettings("Spot") } == nil)
    }
}
