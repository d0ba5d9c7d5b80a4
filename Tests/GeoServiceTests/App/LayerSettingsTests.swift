import JSONText
import TestSupport
import Testing

@testable import GeoService
@testable import GeoStore

@Suite("A layer's settings")
struct LayerSettingsTests {
    private static func faults(
        _ members: JSONObject, after: LayerSettings = .none
    ) -> [String] {
        do throws(Problem) {
            _ = try after.changed(by: members, nil)
            return []
        } catch {
            return error.errors.map(\.field)
        }
    }

    @Test(
        "each wrong member is refused by its name",
        arguments: [
            (["title": ""], "title"), (["title": 5], "title"),
            (["title": .string(String(repeating: "ü", count: 129))], "title"),
            (["description": []], "description"), (["attribution": true], "attribution"),
            (["location": "a b"], "location"), (["location": "objectId"], "location"),
            (["kind": 1], "kind"), (["kind": "a.b"], "kind"), (["weight": ""], "weight"),
            (["time": "no name"], "time"), (["expires": [:]], "expires"),
            (["owner": "ACL"], "owner"), (["aggregates": "price"], "aggregates"),
            (["aggregates": [["field": "price"]]], "aggregates[0].op"),
            (["aggregates": [["field": "price", "op": "median"]]], "aggregates[0].op"),
            (["aggregates": [["field": "a b", "op": "sum"]]], "aggregates[0].field"),
            (["aggregates": [["field": "p", "op": "sum", "as": "x"]]], "aggregates[0].as"),
            (["aggregates": [["op": "sum"]]], "aggregates[0].field"),
            (["aggregates": [["field": nil, "op": "sum"]]], "aggregates[0].field"),
            (["aggregates": [["field": "p", "op": "sum"], "p"]], "aggregates[1]"),
            (["aggregates": [["field": "p", "op": "sum"], nil]], "aggregates[1]"),
            (["aggregates": [:]], "aggregates"),
            (
                [
                    "aggregates": [
                        ["field": "price", "op": "sum"], ["field": "price", "op": "sum"],
                    ]
                ], "aggregates[1]"
            ),
            (
                [
                    "aggregates": .array(
                        (0...8).map { ["field": .string("f\($0)"), "op": "sum"] })
                ], "aggregates"
            ),
            (
                [
                    "aggregates": .array(
                        (0...32).map { ["field": .string("f\($0 % 8)"), "op": "sum"] })
                ], "aggregates"
            ),
            (["cluster": 40], "cluster"), (["cluster": ["radius": 9]], "cluster.radius"),
            (["cluster": ["radius": 101]], "cluster.radius"),
            (["cluster": ["radius": 20.5]], "cluster.radius"),
            (["cluster": ["size": 20]], "cluster.size"), (["heat": "hot"], "heat"),
            (["heat": ["radius": 3]], "heat.radius"), (["heat": ["radius": 65]], "heat.radius"),
            (["heat": ["halfLife": 60]], "heat.halfLife"),
            (["heat": ["halfLife": "0m"]], "heat.halfLife"),
            (["heat": ["halfLife": "soon"]], "heat.halfLife"),
            (["heat": ["halfLife": "9223372036854775807w"]], "heat.halfLife"),
            (["cluster": ["radius": 1e300]], "cluster.radius"),
            (["heat": ["domain": 0]], "heat.domain"), (["heat": ["domain": -4]], "heat.domain"),
            (["heat": ["domain": 1e13]], "heat.domain"),
            (["heat": ["domain": [1, 2, 3]]], "heat.domain"),
            (["heat": ["minOwners": 0]], "heat.minOwners"),
            (["heat": ["minOwners": 1_001]], "heat.minOwners"),
            (["heat": ["public": "yes"]], "heat.public"),
            (["heat": ["public": true]], "heat.public"),
            (["heat": ["public": true, "minOwners": 2]], "heat.public"),
            (["heat": ["colour": "red"]], "heat.colour"), (["name": "x"], "name"),
        ] as [(JSONObject, String)])
    func refused(members: JSONObject, field: String) {
        #expect(Self.faults(members) == [field])
    }

    @Test("all that is wrong is told at once, and nothing is changed by half")
    func together() {
        let faults = Self.faults([
            "title": "right", "kind": 7, "heat": ["radius": 1, "halfLife": "24h"], "nope": nil,
        ])
        #expect(faults == ["kind", "heat.radius", "nope"])
    }

    @Test("each fault of an aggregate is told where it is, and what is wrong")
    func aggregates() {
        let faults = Self.problems([
            "aggregates": [
                ["field": "price", "op": "sum"], ["field": "price", "op": "avg"],
                ["field": "price", "op": "sum"], ["op": 5], 7, ["field": "price", "op": "min"],
                ["field": "name", "op": "max"], ["field": "later", "op": "max", "as": "x"],
            ]
        ])
        #expect(
            faults == [
                "aggregates[1].op must be one of \"sum\"|\"min\"|\"max\"|\"mean\"",
                "aggregates[2] is the same as aggregates[0]: price_sum",
                "aggregates[3].field is missing: it must be the name of a Number field",
                "aggregates[3].op must be one of \"sum\"|\"min\"|\"max\"|\"mean\"",
                "aggregates[4] must be {\"field\": name of a Number field, \"op\": "
                    + "\"sum\"|\"min\"|\"max\"|\"mean\"}",
                "aggregates[6].field must be the name of a Number field; that field is a String",
                "aggregates[7].as is no setting; there are aggregates[7].field, aggregates[7].op",
            ])
        let many = (0..<33).map { ["field": .string("f\($0 % 8)"), "op": "sum"] as JSONValue }
        #expect(
            Self.problems(["aggregates": .array(many)]) == [
                "aggregates has 33 elements; at most 32 are taken"
            ])
        let wide = (0..<9).map { ["field": .string("f\($0)"), "op": "sum"] as JSONValue }
        #expect(
            Self.problems(["aggregates": .array(wide)]) == [
                "aggregates names 9 fields; at most 8 are taken"
            ])
    }

    /// What is said of wrong members for a class with a `price` that is a Number and a `name` that
    /// is a String.
    private static func problems(_ members: JSONObject) -> [String] {
        var schema = ClassSchema(name: "Spot", number: 1)
        schema.add("price", .number)
        schema.add("name", .string)
        do throws(Problem) {
            _ = try LayerSettings.none.changed(by: members, schema)
            return []
        } catch {
            return error.errors.map { "\($0.field) \($0.message)" }
        }
    }

    @Test("a text has no control characters but tabs and line ends, unless it is stored already")
    func controlCharacters() throws {
        for name in ["title", "description", "attribution"] {
            for character in ["\0", "\u{1}", "\u{8}", "\u{B}", "\u{1B}", "\u{7F}", "\u{85}"] {
                let members: JSONObject = [name: .string("a\(character)b")]
                #expect(Self.faults(members) == [name], "\(name)")
                let old = try LayerSettings.none.changed(by: members, nil, areStored: true)
                #expect(old.json == members)
            }
            #expect(Self.faults([name: "a\tb\r\nc \u{202E}é 🏔"]) == [])
        }
    }

    @Test("public heat needs three owners, whichever of the two is changed")
    func publicHeat() throws {
        let open = try LayerSettings.none.changed(
            by: ["heat": ["public": true, "minOwners": 3]], nil)
        #expect(open.heat.isPublic && open.heat.minOwners == 3)
        #expect(Self.faults(["heat": ["minOwners": 2]], after: open) == ["heat.public"])
        #expect(Self.faults(["heat": ["minOwners": nil]], after: open) == ["heat.public"])
        let closed = try open.changed(by: ["heat": ["minOwners": nil, "public": false]], nil)
        #expect(closed == .none)
    }

    @Test("what is not named stays, null is unset, lists are replaced")
    func partial() throws {
        let first = try LayerSettings.none.changed(
            by: [
                "title": "Shops", "kind": "sort", "aggregates": [["field": "price", "op": "min"]],
                "cluster": ["radius": 20], "heat": ["radius": 30, "halfLife": "36h", "domain": 8],
            ], nil)
        #expect(first.heat.halfLifeMinutes == 36 * 60)
        #expect(first.heat.domains == Array(repeating: 8, count: 23))
        let second = try first.changed(
            by: [
                "title": nil, "heat": ["radius": nil],
                "aggregates": [
                    ["field": "price", "op": "mean"], ["field": "stars", "op": "sum"],
                ],
            ], nil)
        #expect(second.title == nil && second.fields.kind == "sort")
        #expect(second.fields.aggregates.map(\.name) == ["price_mean", "stars_sum"])
        #expect(second.clusterRadiusPixels == 20)
        #expect(second.heat.radiusPixels == nil && second.heat.halfLifeMinutes == 36 * 60)
        let third = try second.changed(
            by: ["heat": nil, "cluster": nil, "aggregates": nil, "kind": nil], nil)
        #expect(third == .none)
        #expect(try first.changed(by: [:], nil) == first)
    }

    @Test("the stored form gives the same settings back")
    func roundTrip() throws {
        let zooms: JSONValue = .array((0...22).map { .number(Double($0) + 1.5) })
        let all: JSONObject = [
            "title": "T", "description": "D\nE", "attribution": "© A", "location": "place",
            "kind": "sort", "weight": "size", "time": "startsAt", "expires": "endsAt",
            "owner": "by", "aggregates": [["field": "price", "op": "max"]],
            "cluster": ["radius": 100],
            "heat": [
                "halfLife": "90m", "radius": 64, "domain": zooms, "minOwners": 5, "public": true,
            ],
        ]
        let settings = try LayerSettings.none.changed(by: all, nil)
        #expect(settings.json == all)
        #expect(try LayerSettings.none.changed(by: settings.json, nil) == settings)
        #expect(LayerSettings.none.json == [:])
        #expect(
            LayerSettings.none.effectiveJSON == ["cluster": ["radius": 40], "heat": ["radius": 24]])
    }
}
