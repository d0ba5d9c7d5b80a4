import GeoIndex
import GeoStore
import JSONText
import Testing

@Suite("Classes and their fields")
struct SchemaTests {
    private static func document(
        _ className: String = "Post", id: String = "a", fields: JSONObject
    ) -> Document {
        Document(
            className: className, objectId: id, createdAt: Timestamp(milliseconds: 1),
            fields: fields)
    }

    @Test("the first value that is not null fixes a field's type, for good and after a restart")
    func firstValueFixes() throws {
        let scratch = try Scratch()
        for round in 0..<2 {
            let store = try scratch.open()
            if round == 0 {
                try store.write { try $0.insert(Self.document(id: "a", fields: ["f": nil])) }
                #expect(store.catalog["Post"]?.fields.isEmpty == true)
                try store.write {
                    try $0.insert(Self.document(id: "b", fields: ["f": 1, "g": nil]))
                }
            }
            #expect(store.catalog["Post"]?.fields == ["f": .number])
            let error = #expect(throws: SchemaError.self) {
                try store.write { try $0.insert(Self.document(id: "c", fields: ["f": "x"])) }
            }
            #expect(
                error?.description == "schema mismatch for Post.f; expected Number but got String")
            #expect(try store.read { try $0.classes().first?.fields } == ["f": .number])
        }
    }

    @Test("pointers to different classes are different types")
    func pointers() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        @Sendable func pointer(_ target: String) -> JSONValue {
            ["__type": "Pointer", "className": .string(target), "objectId": "u"]
        }
        try store.write { try $0.insert(Self.document(id: "a", fields: ["by": pointer("_User")])) }
        #expect(
            throws: SchemaError.typeMismatch(
                className: "Post", field: "by", expected: .pointer("_User"), got: .pointer("Other"))
        ) {
            try store.write {
                try $0.insert(Self.document(id: "b", fields: ["by": pointer("Other")]))
            }
        }
    }

    @Test("a class has one GeoPoint field; a text of that name makes none")
    func oneGeoPoint() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let point = GeoPointField.json(try LonLat(lon: 1, lat: 2))
        try store.write { try $0.insert(Self.document(id: "a", fields: ["location": "Berlin"])) }
        #expect(store.catalog["Post"]?.geoPointField == nil)
        #expect(
            throws: SchemaError.secondGeoPoint(className: "Post", field: "q", first: "p")
        ) {
            try store.write {
                try $0.insert(Self.document(id: "b", fields: ["p": point, "q": point]))
            }
        }
        #expect(store.catalog["Post"]?.geoPointField == nil)
        try store.write { try $0.insert(Self.document(id: "c", fields: ["q": point])) }
        #expect(store.catalog["Post"]?.geoPointField == "q")
        #expect(
            throws: SchemaError.secondGeoPoint(className: "Post", field: "p", first: "q")
        ) { try store.write { try $0.insert(Self.document(id: "d", fields: ["p": point])) } }
    }

    @Test(
        "names and ids that break the rules are refused",
        arguments: [
            (document("1a", fields: [:]), .invalidClassName("1a")),
            (document("", fields: [:]), .invalidClassName("")),
            (document("_Mine", fields: [:]), .invalidClassName("_Mine")),
            (document("a-b", fields: [:]), .invalidClassName("a-b")),
            (document("\u{212A}", fields: [:]), .invalidClassName("\u{212A}")),
            (document(id: "a b", fields: [:]), .invalidObjectId("a b")),
            (document(fields: ["_f": 1]), .invalidFieldName(className: "Post", field: "_f")),
            (document(fields: ["f.g": 1]), .invalidFieldName(className: "Post", field: "f.g")),
            (document(fields: ["": 1]), .invalidFieldName(className: "Post", field: "")),
            (
                document(fields: ["objectId": nil]),
                .reservedFieldName(className: "Post", field: "objectId")
            ),
            (document(fields: ["ACL": [:]]), .reservedFieldName(className: "Post", field: "ACL")),
            (
                document(fields: ["length": 1]),
                .reservedFieldName(className: "Post", field: "length")
            ),
            (
                document(fields: ["a": ["b.c": 1]]),
                .invalidValue(className: "Post", field: "a", .nestedKey("b.c"))
            ),
        ] as [(Document, SchemaError)])
    func names(document: Document, expected: SchemaError) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        #expect(throws: expected) { try store.write { try $0.insert(document) } }
        #expect(store.catalog.classes.isEmpty)
    }

    @Test("a name that only normalises to a field's name is not that field")
    func lookalike() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { try $0.insert(Self.document(id: "a", fields: ["K": 1])) }
        #expect(throws: SchemaError.invalidFieldName(className: "Post", field: "\u{212A}")) {
            try store.write { try $0.insert(Self.document(id: "b", fields: ["\u{212A}": 1])) }
        }
    }

    @Test("classes and fields are bounded, and known ones still work at the bound")
    func bounds() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumClasses = 2
        options.maximumFieldsPerClass = 2
        let store = try scratch.open(options)
        try store.write { try $0.insert(Self.document("A", fields: ["a": 1, "b": 2])) }
        try store.write { try $0.insert(Self.document("B", fields: [:])) }
        #expect(throws: SchemaError.tooManyClasses(limit: 2)) {
            try store.write { try $0.insert(Self.document("C", fields: [:])) }
        }
        #expect(throws: SchemaError.tooManyFields(className: "A", limit: 2)) {
            try store.write { try $0.insert(Self.document("A", id: "b", fields: ["c": 1])) }
        }
        try store.write { try $0.insert(Self.document("A", id: "b", fields: ["a": 3])) }
    }
}
