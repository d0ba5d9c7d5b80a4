import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("A place is shown no finer than its object says")
struct ShownPlaceTests {
    private let service: TestService
    private let id: String
    private let accuracy: LocationAccuracy
    private let centre: LonLat

    init() throws {
        service = try TestService()
        accuracy = try #require(LocationAccuracy(meters: 1_000))
        centre = accuracy.shown(try LonLat(lon: 13.4, lat: 52.5))
        id = try service.create(
            "Spot",
            [
                "place": geoPoint(lon: centre.lon + 0.002, lat: centre.lat - 0.001),
                "locationAccuracy": 1_000, "name": "x",
            ])
    }

    private func move(lon: Double, lat: Double) throws {
        let reply = try service.call(
            "PUT", "/classes/Spot/\(id)", ["place": geoPoint(lon: lon, lat: lat)])
        try #require(reply.status == 200)
    }

    private let paths = [
        "/clusters/Spot?bbox=-180,-90,180,90&zoom=12", "/near/Spot?lon=13.4&lat=52.5",
        "/within/Spot?bbox=13,52,14,53", "/v1/collections/Spot",
    ]

    @Test("moving within the cell changes no answer and no tag")
    func still() throws {
        let before = try paths.map { try service.ask("GET", $0) }
        try move(lon: centre.lon - 0.003, lat: centre.lat + 0.001)
        let after = try paths.map { try service.ask("GET", $0) }
        for (old, new) in zip(before, after) {
            #expect(old.status == 200 && old.answer["etag"] != nil)
            #expect(new.answer.text == old.answer.text && new.answer["etag"] == old.answer["etag"])
        }
        try move(lon: centre.lon + 1, lat: centre.lat)
        for (path, old) in zip(paths, before) {
            let new = try service.ask("GET", path)
            #expect(new.answer["etag"] != old.answer["etag"], "\(path)")
        }
    }

    @Test("every answer to a client has the same place, the master key the exact one")
    func everywhere() throws {
        let shown: JSONValue = [.number(centre.lon), .number(centre.lat)]
        for path in paths.prefix(3) {
            let feature = try service.ask("GET", path).json["features"]?.arrayValue?.first
            #expect(feature?["geometry"]?["coordinates"] == shown, "\(path)")
            #expect(feature?["properties"]?["locationAccuracy"] == 1_000)
        }
        let near = try service.ask("GET", paths[1]).json["features"]?.arrayValue?.first
        let distance = SphericalGeodesy.distance(
            from: RoundedPosition(try LonLat(lon: 13.4, lat: 52.5)), to: RoundedPosition(centre))
        #expect(near?["properties"]?["distance"]?.doubleValue == distance.meters)
        let client = try service.object("Spot", id)
        #expect(client["place"] == GeoPointField.json(centre))
        #expect(try service.call("GET", "/classes/Spot").results.first?["place"] == client["place"])
        let exact = geoPoint(lon: centre.lon + 0.002, lat: centre.lat - 0.001)
        #expect(try service.object("Spot", id, as: .master)["place"] == exact)
        let batch = try service.call(
            "POST", "/batch",
            ["requests": [["method": "GET", "path": .string("/parse/classes/Spot/\(id)")]]])
        #expect(batch.json.arrayValue?.first?["success"]?["place"] == client["place"])
    }

    @Test("no order tells which of two is farther north")
    func order() throws {
        var ids = [id]
        for offset in [-0.003, 0.003, 0] {
            ids.append(
                try service.create(
                    "Spot",
                    [
                        "place": geoPoint(lon: centre.lon, lat: centre.lat + offset),
                        "locationAccuracy": 1_000,
                    ]))
        }
        func order(_ key: String, as caller: TestService.Caller) throws -> [String?] {
            try service.call("GET", "/classes/Spot?order=\(key)", as: caller).results.map {
                $0["objectId"]?.stringValue
            }
        }
        #expect(try order("place.latitude", as: .client) == ids.sorted())
        #expect(try order("-place", as: .client) == ids.sorted())
        // Nor for those who may know: a place has no order, whichever member is asked for.
        #expect(try order("place.latitude", as: .master) == ids.sorted())
    }

    @Test("a value that is no accuracy is refused with Parse's code for a wrong type")
    func refused() throws {
        for value in [-1, 2_000_000, "1 km", false] as [JSONValue] {
            let reply = try service.call(
                "PUT", "/classes/Spot/\(id)", ["locationAccuracy": value])
            #expect(reply.status == 400 && reply.code == 111, "\(value)")
        }
        let open: JSONValue = ["locationAccuracy": nil]
        #expect(
            try service.call("PUT", "/classes/Spot/\(id)", open, as: .master).status == 200)
        let exact = geoPoint(lon: centre.lon + 0.002, lat: centre.lat - 0.001)
        #expect(try service.object("Spot", id)["place"] == exact)
    }

    @Test("who does not know the place does not come to know it by opening it")
    func kept() throws {
        let coarse = try service.object("Spot", id)["place"]
        for accuracy in [nil, 500] as [JSONValue] {
            let reply = try service.call(
                "PUT", "/classes/Spot/\(id)", ["locationAccuracy": accuracy])
            #expect(reply.status == 200)
        }
        #expect(try service.object("Spot", id, as: .master)["place"] == coarse)
    }
}
