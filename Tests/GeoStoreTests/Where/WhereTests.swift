import JSONText
import TestSupport
import Testing

@testable import GeoStore

/// One document with a field of every type, and what questions about it give.
@Suite struct WhereTests {
    static let document = try? Document(
        className: "Spot", objectId: "a1", createdAt: Timestamp(milliseconds: 1_000),
        updatedAt: Timestamp(milliseconds: 2_000),
        fields: parsed(
            """
            {"title":"Café","price":2.5,"zero":0,"open":true,"tags":["new",1,null,["in"]],
             "empty":[],"note":null,"when":{"__type":"Date","iso":"2026-01-02T00:00:00.000Z"},
             "author":{"__type":"Pointer","className":"Person","objectId":"p1"},
             "authors":[{"__type":"Pointer","className":"Person","objectId":"p1"}],
             "address":{"city":"Berlin","deep":{"n":3},"none":null},
             "place":{"__type":"GeoPoint","latitude":10,"longitude":20},
             "photo":{"__type":"File","name":"x.png","url":"http://a/x.png"},
             "area":{"__type":"Polygon","coordinates":[[0,0],[0,4],[4,4],[4,0],[0,0]]}}
            """
        ).objectValue ?? [:])

    static func parsed(_ text: String) throws -> JSONValue { try JSONParser.parse(text: text) }

    @Test(
        "a condition holds",
        arguments: [
            "{}", #"{"title":"Café"}"#, #"{"title":{"$eq":"Café"}}"#, #"{"price":2.5}"#,
            #"{"zero":{"$lte":0}}"#, #"{"zero":{"$gt":-1}}"#, #"{"open":true}"#,
            #"{"tags":"new"}"#, #"{"tags":1}"#, #"{"tags":null}"#, #"{"tags":["in"]}"#,
            #"{"tags":["new",1,null,["in"]]}"#, #"{"note":null}"#, #"{"gone":null}"#,
            #"{"gone":{"$ne":1}}"#, #"{"gone":{"$nin":[1]}}"#, #"{"gone":{"$exists":false}}"#,
            #"{"note":{"$exists":true}}"#, #"{"gone":{"$in":[null]}}"#,
            #"{"title":{"$in":[["x","Café"]]}}"#, #"{"tags":{"$all":["new",1]}}"#,
            #"{"tags":{"$all":[{"$regex":"^\\Qn\\E"}]}}"#,
            #"{"authors":{"$containedBy":[{"__type":"Pointer","className":"Person","objectId":"p1"}]}}"#,
            #"{"empty":{"$containedBy":[]}}"#, #"{"title":{"$regex":"^\\QCaf\\E"}}"#,
            #"{"title":{"$regex":"^caf.$","$options":"i"}}"#, #"{"tags":{"$regex":"^ne"}}"#,
            #"{"when":{"$lt":{"__type":"Date","iso":"2026-01-02T00:00:00.001Z"}}}"#,
            #"{"when":{"__type":"Date","iso":"2026-01-02T01:00:00+01:00"}}"#,
            #"{"author":{"__type":"Pointer","className":"Person","objectId":"p1"}}"#,
            #"{"author":{"__type":"Object","className":"Person","objectId":"p1","x":1}}"#,
            #"{"authors":{"__type":"Pointer","className":"Person","objectId":"p1"}}"#,
            #"{"address.city":"Berlin"}"#, #"{"address.deep.n":{"$gte":3}}"#,
            #"{"address.none":null,"address.gone":null}"#,
            #"{"address":{"none":null,"deep":{"n":3.0},"city":"Berlin"}}"#,
            #"{"photo":{"__type":"File","name":"x.png"}}"#,
            #"{"place":{"__type":"GeoPoint","latitude":10,"longitude":20}}"#,
            #"{"place":{"$geoWithin":{"$polygon":[[20,10],[21,10],[21,11]]}}}"#,
            #"{"place":{"$geoWithin":{"$centerSphere":[[20,10],0]}}}"#,
            #"{"place":{"$centerSphere":{"__type":"GeoPoint","latitude":10,"longitude":21},"$geoWithin":0.02}}"#,
            #"{"place":{"$within":{"$box":[[19,10],[20,11]]}}}"#,
            #"{"area":{"$geoIntersects":{"$point":{"__type":"GeoPoint","latitude":4,"longitude":2}}}}"#,
            #"{"area":{"__type":"Polygon","coordinates":[[0,0],[0,4],[4,4],[4,0]]}}"#,
            #"{"objectId":"a1"}"#, #"{"createdAt":"1970-01-01T00:00:01Z"}"#,
            #"{"updatedAt":{"$gt":{"__type":"Date","iso":"1970-01-01T00:00:01.999Z"}}}"#,
            #"{"$or":[{"price":1},{"price":2.5}]}"#, #"{"$nor":[{"price":1},{"open":false}]}"#,
            #"{"$and":[{"$or":[{"gone":null}]},{"open":true}],"zero":0}"#,
        ])
    func holds(text: String) throws {
        let document = try #require(WhereTests.document)
        let query = try Where(WhereTests.parsed(text), of: "Spot")
        #expect(try query.matches(document))
        // The contrary must not hold: a matcher that says yes to all is of no use.
        let contrary = try Where(["$nor": [WhereTests.parsed(text)]], of: "Spot")
        #expect(try !contrary.matches(document))
    }

    @Test(
        "a condition does not hold",
        arguments: [
            #"{"title":"Cafe\u0301"}"#, #"{"price":"2.5"}"#, #"{"price":{"$lt":2.5}}"#,
            #"{"gone":{"$lt":5}}"#, #"{"note":{"$gte":0}}"#, #"{"title":{"$lt":5}}"#,
            #"{"open":1}"#, #"{"tags":["new",1]}"#, #"{"tags":{"$ne":"new"}}"#,
            #"{"tags":{"$nin":["x",1]}}"#, #"{"title":{"$in":[]}}"#,
            #"{"title":{"$all":["Café"]}}"#,
            #"{"tags":{"$all":[]}}"#, #"{"tags":{"$containedBy":["new",1]}}"#,
            #"{"price":{"$ne":2.5}}"#, #"{"note":{"$ne":null}}"#, #"{"gone":{"$exists":true}}"#,
            #"{"title":{"$regex":"^caf"}}"#, #"{"price":{"$regex":"2"}}"#,
            #"{"author":{"__type":"Pointer","className":"Other","objectId":"p1"}}"#,
            #"{"address":{"city":"Berlin"}}"#, #"{"address.city.x":1}"#, #"{"place.latitude":10}"#,
            #"{"tags.0":"new"}"#, #"{"createdAt":"1970-01-01T00:00:01.001Z"}"#,
            #"{"place":{"$geoWithin":{"$centerSphere":[[20.0000001,10],0]}}}"#,
            #"{"area":{"$geoIntersects":{"$point":{"__type":"GeoPoint","latitude":4.0000001,"longitude":2}}}}"#,
        ])
    func doesNotHold(text: String) throws {
        let document = try #require(WhereTests.document)
        #expect(try !Where(WhereTests.parsed(text), of: "Spot").matches(document))
    }

    @Test("what asks the same has the same name, whatever the order of its members")
    func names() throws {
        let one = try Where(WhereTests.parsed(#"{"a":1,"b":{"$gt":2,"$lt":5}}"#), of: nil)
        let other = try Where(WhereTests.parsed(#"{"b":{"$lt":5.0,"$gt":2},"a":1.0}"#), of: nil)
        let third = try Where(WhereTests.parsed(#"{"b":{"$lt":5,"$gt":3},"a":1}"#), of: nil)
        #expect(one.name == other.name)
        #expect(one.name != third.name)
    }

    @Test("a near query is a circle for whoever takes it, in all its units")
    func near() throws {
        let document = try #require(WhereTests.document)
        for (unit, enough, little) in [
            ("$maxDistance", 0.018, 0.017), ("$maxDistanceInRadians", 0.018, 0.017),
            ("$maxDistanceInKilometers", 110, 109), ("$maxDistanceInMiles", 68.1, 68.0),
        ] {
            for (distance, isNear) in [(enough, true), (little, false)] {
                let query = try Where(
                    [
                        "place": [
                            "$nearSphere": ["__type": "GeoPoint", "latitude": 10, "longitude": 21],
                            unit: .number(distance),
                        ]
                    ], of: "Spot", options: .init(takesNear: true))
                #expect(try query.matches(document) == isNear, "\(unit) \(distance)")
            }
        }
    }

    @Test("secrets of users cannot be asked about; a field of that name elsewhere can")
    func secrets() throws {
        for field in ["password", "authData", "sessionToken", "_hashed_password", "authData.x"] {
            #expect(throws: WhereError.self) { try Where([field: 1], of: "_User") }
        }
        _ = try Where(["password": 1], of: "Spot")
    }

    @Test("any text is compiled or refused", arguments: 0..<200 as Range<UInt64>)
    func garbage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let document = try #require(WhereTests.document)
        let names = [
            "a", "title", "tags", "$or", "$and", "$in", "$lt", "$regex", "$options", "$all", "$ne",
            "$geoWithin", "$polygon", "$centerSphere", "$box", "$within", "__type", "iso", "price",
        ]
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0..<(depth > 4 ? 5 : 8), using: &random) {
            case 0: return .null
            case 1: return .bool(true)
            case 2: return .number(Double(Int.random(in: -200...200, using: &random)))
            case 3: return .string(names.randomElement(using: &random) ?? "")
            case 4:
                return .string(["Date", "GeoPoint", "(", "i"].randomElement(using: &random) ?? "")
            case 5:
                return .array(
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) })
            default:
                var members = JSONObject()
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    members[names.randomElement(using: &random) ?? "a"] = value(depth + 1)
                }
                return .object(members)
            }
        }
        for _ in 0..<50 {
            do {
                _ = try Where(value(0), of: "Spot").matches(document)
            } catch let error as WhereError {
                #expect(error.path.hasPrefix("where"))
            }
        }
    }
}
