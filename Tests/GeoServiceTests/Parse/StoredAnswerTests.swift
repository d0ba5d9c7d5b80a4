import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

/// Objects that are copied as they are stored, and the same objects read and written again.
@Suite("Parse: objects as they are stored")
struct StoredAnswerTests {
    /// Leaves nothing out, but is looked up for each member.
    private static let byMembers = "excludeKeys=none"

    private static func value(_ random: inout SeededGenerator, depth: Int = 3) -> JSONValue {
        let texts = [
            "", "a \"b\" \\ {c}, [d]: \u{1}\u{7f}é\u{10FFFF}", "\"__type\":\"File\"", "File",
            "\n\t/",
        ]
        switch Int.random(in: 0..<(depth > 0 ? 12 : 5), using: &random) {
        case 0: return .null
        case 1: return .string(texts.randomElement(using: &random) ?? "")
        case 2: return .integer([0, -1, .max, .min, 1 << 53].randomElement(using: &random) ?? 0)
        case 3:
            let numbers: [Double] = [
                -0.0, 1e300, -1.5e-300, 0.1, 9_007_199_254_740_994, 1e19, .leastNonzeroMagnitude,
                1 / 3,
            ]
            return .number(numbers.randomElement(using: &random) ?? 0)
        case 4: return .bool(.random(using: &random))
        case 5: return geoPoint(lon: .random(in: -180...180, using: &random), lat: 1)
        case 6: return ["__type": "Date", "iso": "2026-05-04T03:02:01.000Z"]
        case 7: return ["__type": "Pointer", "className": "A", "objectId": "a1"]
        case 8: return ["__type": "File", "name": "a b.png"]
        case 9: return ["__type": "File", "name": "c", "url": "http://localhost/é"]
        case 10:
            return .array((0..<3).map { _ in value(&random, depth: depth - 1) })
        default:
            return .object(
                JSONObject(
                    ["x", "", "é\"", "File"].map { ($0, value(&random, depth: depth - 1)) }))
        }
    }

    private static func document(
        _ number: Int, of user: String, at now: Timestamp, _ random: inout SeededGenerator
    ) throws -> Document {
        var fields: [(String, JSONValue)] = [
            ("n", .integer(Int64(number % 5))), ("secret", "hidden words"),
            ("mixed", ["in": value(&random)]),
            ("list", .array((0..<2).map { _ in value(&random) })),
            ("nothing", .null), ("text", "ä"),
            (
                "place",
                geoPoint(
                    lon: .random(in: 10...10.1, using: &random),
                    lat: .random(in: 50...50.1, using: &random))
            ),
            ("picture", ["__type": "File", "name": "p.png"]),
            (
                "expiresAt",
                [
                    "__type": "Date",
                    "iso": .string(
                        Timestamp(
                            milliseconds: now.milliseconds
                                + .random(in: -9_000_000...90_000_000, using: &random)
                        ).description),
                ]
            ),
            ("locationAccuracy", .integer(500)), ("empty", [:]),
            ("author", ["__type": "Pointer", "className": "_User", "objectId": .string(user)]),
        ]
        fields.shuffle(using: &random)
        fields.removeAll { $0.0 != "secret" && Int.random(in: 0..<3, using: &random) == 0 }
        let lists: [JSONValue?] = [
            nil, nil, ["*": ["read": true, "write": true]], [:], ["*": ["read": true]],
            .object([user: ["read": true], "role:é\"": ["write": true]]),
        ]
        return Document(
            className: "T", objectId: "o\(number)",
            createdAt: Timestamp(milliseconds: now.milliseconds - Int64(number)), updatedAt: now,
            acl: try (lists.randomElement(using: &random) ?? nil).map { try AccessList($0) },
            fields: JSONObject(fields))
    }

    @Test("have the bytes of those that are read and written again", arguments: 0..<3)
    func bytes(seed: Int) throws {
        let service = try TestService()
        var random = SeededGenerator(seed: UInt64(seed))
        let user = try service.call("POST", "/users", ["username": "u", "password": "p"]).json
        let id = try #require(user["objectId"]?.stringValue)
        let token = "X-Parse-Session-Token: \(user["sessionToken"]?.stringValue ?? "")"
        let now = service.core.catalog.now()
        let documents = try (0..<150).map { try Self.document($0, of: id, at: now, &random) }
        try service.core.store.write { for document in documents { try $0.insert(document) } }
        let near =
            "where=%7B%22place%22%3A%7B%22%24nearSphere%22%3A%7B%22__type%22%3A%22GeoPoint%22%2C"
            + "%22latitude%22%3A50.05%2C%22longitude%22%3A10.05%7D%7D%7D&limit=20"
        let plain = ["limit=20", "limit=1000", near, "where=%7B%22n%22%3A2%7D", "order=text"]
        func compare(_ step: String) throws {
            for (caller, fields) in [
                (TestService.Caller.client, []), (.client, [token]), (.master, []),
            ] {
                for path in plain.map({ "/classes/T?\($0)&" }) + [
                    "/classes/T/o7?", "/users/\(id)?",
                ] {
                    let copied = try service.call("GET", path, as: caller, fields: fields)
                    let written = try service.call(
                        "GET", path + Self.byMembers, as: caller, fields: fields)
                    #expect(copied.answer.text == written.answer.text, "\(step), \(caller) \(path)")
                    #expect(
                        copied.status != 200 || path.hasPrefix("/users/")
                            || step != "hidden" || caller == .master
                            || !copied.answer.text.contains("secret"))
                }
            }
        }
        try compare("open")
        let all = try service.call("GET", "/classes/T?limit=1000", as: .master).results
        #expect(all.count == 150)
        // What is said of all objects makes none of them a copy.
        try service.call(
            "PUT", "/schemas/T",
            [
                "classLevelPermissions": [
                    "find": ["*": true], "get": ["*": true],
                    "protectedFields": ["*": ["secret"]],
                ]
            ], as: .master)
        try compare("hidden")
        try service.call(
            "PUT", "/classes/T/o9",
            [
                "likes": [
                    "__op": "AddRelation",
                    "objects": [
                        ["__type": "Pointer", "className": "A", "objectId": "a1"]
                    ],
                ]
            ], as: .master)
        try compare("related")
        let related = try service.call("GET", "/classes/T?limit=1000", as: .master).results
        #expect(related.allSatisfy { $0["likes"]?["__type"] == "Relation" })
    }
}
