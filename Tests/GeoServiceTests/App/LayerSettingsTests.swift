import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

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
            (["aggregates": [["field": "price"]]], "aggregates"),
            (["aggregates": [["field": "price", "op": "median"]]], "aggregates"),
            (["aggregates": [["field": "a b", "op": "sum"]]], "aggregates"),
            (["aggregates": [["field": "p", "op": "sum", "as": "x"]]], "aggregates"),
            (
                [
                    "aggregates": [
                        ["field": "price", "op": "sum"], ["field": "price", "op": "sum"],
                    ]
                ], "aggregates"
            ),
            (
                [
                    "aggregates": .array(
                        (0...8).map { ["field": .string("f\($0)"), "op": "sum"] })
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
