import JSONText
import TestSupport

@testable import GeoStore

/// Random conditions and orders, of every form that queries know.
extension QueryWorld {
    static func condition(_ random: inout SeededGenerator, depth: Int = 0) -> JSONValue {
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

    private static func test(_ random: inout SeededGenerator) -> (String, JSONValue) {
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

    static func order(_ random: inout SeededGenerator) -> [ObjectOrder] {
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
}
