import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Aggregates of clusters")
struct AggregateTests {
    private static let fields = ["price", "stars"]
    private static let path = "/clusters/Spot?bbox=-180,-90,180,90&zoom=2"

    /// What the members' values come to, computed in whole millionths from the objects themselves.
    private static func twin(_ objects: [JSONObject]) -> [String: String] {
        var expected: [String: String] = [:]
        for field in fields {
            let values = objects.compactMap { object in
                object[field]?.doubleValue.map { Int128(($0 * 1e6).rounded()) }
            }
            guard let least = values.min(), let greatest = values.max() else { continue }
            let sum = values.reduce(0, +)
            let whole = sum.magnitude / UInt128(values.count)
            let isUp = 2 * (sum.magnitude % UInt128(values.count)) >= UInt128(values.count)
            let mean = Int128(whole) + (isUp ? 1 : 0)
            for (name, units) in [
                ("min", least), ("max", greatest), ("sum", sum), ("mean", sum < 0 ? -mean : mean),
            ] {
                expected["\(field)_\(name)"] = FixedDecimal.text(units: units)
            }
        }
        return expected
    }

    @Test(
        "equal the sums over the members after any writes, whichever way the index was built",
        arguments: 0..<8 as Range<UInt64>)
    func twins(seed: UInt64) throws {
        let service = try TestService()
        let store = service.core.store
        let aggregates: [JSONValue] = Self.fields.flatMap { field in
            ["sum", "min", "max", "mean"].map { ["field": .string(field), "op": .string($0)] }
        }
        let isAhead = seed.isMultiple(of: 2)
        func declare() throws {
            let reply = try service.ask(
                "PUT", "/v1/collections/Spot", ["aggregates": .array(aggregates)], as: .master)
            try #require(reply.status == 200)
        }
        if isAhead { try declare() }
        var random = SeededGenerator(seed: seed)
        var objects: [String: JSONObject] = [:]
        for round in 0..<6 {
            var changes: [String: JSONObject?] = [:]
            for _ in 0..<60 {
                let id = "id\(Int.random(in: 0..<90, using: &random))"
                if Int.random(in: 0..<4, using: &random) == 0 {
                    changes[id] = .some(nil)
                    continue
                }
                // Two heaps, each of them one cluster at this zoom.
                let lon = Bool.random(using: &random) ? 0.0 : 100
                var fields: JSONObject = [
                    "place": geoPoint(lon: lon + .random(in: 0..<1, using: &random), lat: 1)
                ]
                if Bool.random(using: &random) {
                    let cents = Int64.random(in: -100_000...100_000, using: &random)
                    fields["price"] = .number(Double(cents) / 100)
                }
                if round > 3, Int.random(in: 0..<8, using: &random) == 0 {
                    fields["stars"] = .integer(.random(in: 1...5, using: &random))
                }
                changes[id] = fields
            }
            let batch = changes
            try store.write { transaction in
                for (id, fields) in batch {
                    try transaction.delete("Spot", id)
                    guard let fields else { continue }
                    try transaction.insert(
                        Document(
                            className: "Spot", objectId: id, createdAt: .now(), fields: fields))
                }
            }
            for (id, fields) in changes { objects[id] = fields }
            if round == 2, !isAhead { try declare() }
            guard round >= 2 || isAhead else { continue }
            try check(service, objects)
        }
    }

    private func check(_ service: TestService, _ objects: [String: JSONObject]) throws {
        let features = try service.ask("GET", Self.path).json["features"]?.arrayValue ?? []
        #expect(features.count == 2)
        for feature in features {
            let isEast =
                try #require(
                    feature["geometry"]?["coordinates"]?.arrayValue?.first?.doubleValue) > 50
            let members = objects.values.filter {
                (($0["place"]?["longitude"]?.doubleValue ?? 0) > 50) == isEast
            }
            let properties = try #require(feature["properties"]?.objectValue)
            #expect(properties["point_count"] == .integer(Int64(members.count)))
            var found: [String: String] = [:]
            for member in properties
            where Self.fields.contains(where: { member.key.hasPrefix($0 + "_") }) {
                found[member.key] = String(decoding: JSONWriter.encode(member.value), as: UTF8.self)
            }
            #expect(found == Self.twin(Array(members)))
        }
    }

    @Test("obey the filter")
    func filtered() throws {
        let service = try TestService()
        try service.ask(
            "PUT", "/v1/collections/Spot", ["aggregates": [["field": "price", "op": "sum"]]],
            as: .master)
        for (kind, price) in [("a", 1.5), ("a", 2.25), ("b", 10), ("b", 20)] {
            _ = try service.create(
                "Spot",
                ["place": geoPoint(lon: 1, lat: 1), "kind": .string(kind), "price": .number(price)])
        }
        func sum(_ more: String) throws -> JSONValue? {
            let reply = try service.ask("GET", Self.path + more)
            return reply.json["features"]?.arrayValue?.first?["properties"]?["price_sum"]
        }
        #expect(try sum("") == 33.75)
        #expect(try sum("&kind=a") == 3.75)
        #expect(try sum("&kind=b") == 30)
    }
}
