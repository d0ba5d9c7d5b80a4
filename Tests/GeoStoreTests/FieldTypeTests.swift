import GeoIndex
import GeoStore
import JSONText
import Testing

@Suite("Field types")
struct FieldTypeTests {
    @Test(
        "a value has the type of its encoding",
        arguments: [
            (#"null"#, nil),
            (#""x""#, "String"),
            (#"1"#, "Number"),
            (#"1.5"#, "Number"),
            (#"false"#, "Boolean"),
            (#"[1,{"a":null}]"#, "Array"),
            (#"{"a":1}"#, "Object"),
            (#"{}"#, "Object"),
            (#"{"__type":"Date","iso":"2026-05-04T03:02:01.000Z"}"#, "Date"),
            (#"{"__type":"GeoPoint","latitude":-90,"longitude":180}"#, "GeoPoint"),
            (#"{"__type":"Polygon","coordinates":[[0,0],[0,1],[1,1],[0,0]]}"#, "Polygon"),
            (#"{"__type":"Bytes","base64":"AA=="}"#, "Bytes"),
            (#"{"__type":"File","name":"a.png"}"#, "File"),
            (#"{"__type":"Pointer","className":"_User","objectId":"a"}"#, "Pointer<_User>"),
            (#"{"__type":"Relation","className":"Post"}"#, "Relation<Post>"),
        ] as [(String, String?)])
    func types(text: String, expected: String?) throws {
        let type = try FieldType.of(JSONParser.parse(text: text))
        #expect(type?.description == expected)
        if let expected { #expect(FieldType(expected) == type) }
    }

    @Test(
        "a value that is none is refused with its reason",
        arguments: [
            (#"{"__type":"Nonsense"}"#, .unknownType),
            (#"{"__type":1}"#, .unknownType),
            (#"{"__op":"Increment","amount":1}"#, .operation),
            (#"{"__type":"Date","iso":"yesterday"}"#, .shape(type: "Date")),
            (#"{"__type":"Date"}"#, .shape(type: "Date")),
            (#"{"__type":"GeoPoint","latitude":1}"#, .geoPointShape),
            (#"{"__type":"GeoPoint","latitude":"1","longitude":2}"#, .geoPointShape),
            (
                #"{"__type":"GeoPoint","latitude":91,"longitude":2}"#,
                .coordinate(.latitude(degrees: 91))
            ),
            (
                #"{"__type":"GeoPoint","latitude":0,"longitude":-180.1}"#,
                .coordinate(.longitude(degrees: -180.1))
            ),
            (#"{"__type":"Polygon","coordinates":[[0,0],[0,1]]}"#, .shape(type: "Polygon")),
            (
                #"{"__type":"Polygon","coordinates":[[0,0],[0,1],[100,1]]}"#,
                .coordinate(.latitude(degrees: 100))
            ),
            (#"{"__type":"Pointer","className":"a b","objectId":"a"}"#, .shape(type: "Pointer")),
            (#"{"__type":"Pointer","className":"A"}"#, .shape(type: "Pointer")),
            (#"{"a":{"b.c":1}}"#, .nestedKey("b.c")),
            (#"[[{"$x":1}]]"#, .nestedKey("$x")),
        ] as [(String, FieldValueError)])
    func refused(text: String, expected: FieldValueError) throws {
        let value = try JSONParser.parse(text: text)
        #expect(throws: expected) { try FieldType.of(value) }
    }

    @Test(
        "a description that names no type is none",
        arguments: ["", "string", "Pointer<>", "Pointer<a b>", "Pointer<A", "ACL"])
    func noType(text: String) {
        #expect(FieldType(text) == nil)
    }
}
