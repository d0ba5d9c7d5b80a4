import GeoIndex
import Testing

@testable import GeoService

@Suite("Options of directions")
struct DirectionsOptionsTests {
    private func read(
        _ service: DirectionsService, _ name: String, _ value: String
    ) throws(DirectionsError) -> DirectionsOptions {
        try DirectionsOptions([(name, value)], of: service, coordinates: 3)
    }

    @Test("every parameter that is listed is read", arguments: DirectionsService.allCases)
    func listed(service: DirectionsService) {
        let right: [String: String] = [
            "bearings": "0,0;;360,180", "radiuses": "unlimited;5;", "generate_hints": "false",
            "hints": ";AbC-_=;", "approaches": "curb;;unrestricted", "exclude": "toll,ferry",
            "snapping": "any", "skip_waypoints": "true", "steps": "true", "annotations": "duration",
            "geometries": "geojson", "overview": "false", "alternatives": "3",
            "continue_straight": "default", "waypoints": "0;2", "roundtrip": "false",
            "source": "first", "destination": "last", "sources": "0;2", "destinations": "all",
            "fallback_speed": "5", "fallback_coordinate": "snapped", "scale_factor": "0.5",
            "number": "100",
        ]
        for name in DirectionsOptions.names(of: service) {
            #expect(throws: Never.self, "\(name)") { try read(service, name, right[name] ?? "") }
            // Nothing takes this for a value.
            let error = #expect(throws: DirectionsError.self, "\(name)") {
                try read(service, name, "§")
            }
            #expect(error?.message.hasPrefix(name) == true)
        }
        let error = #expect(throws: DirectionsError.self) { try read(service, "zz", "1") }
        #expect(error?.code == .invalidQuery)
    }

    @Test("values have their meaning")
    func meanings() throws {
        #expect(try read(.route, "geometries", "polyline6").geometries == .polyline6)
        #expect(try read(.route, "overview", "full").overview == .full)
        #expect(try read(.route, "annotations", "true").annotations.count == 6)
        #expect(
            try read(.route, "annotations", "speed,distance").annotations == [.speed, .distance])
        #expect(try read(.route, "waypoints", "0;2").mergesLegs)
        #expect(try !read(.route, "waypoints", "0;1;2").mergesLegs)
        #expect(try read(.table, "sources", "2;0").sources == [2, 0])
        #expect(
            try read(.table, "annotations", "distance,duration").cells == [.distance, .duration])
        #expect(try read(.table, "scale_factor", "2.5").scaleFactor == 2.5)
        #expect(try !read(.trip, "roundtrip", "false").isRoundTrip)
        #expect(try read(.trip, "source", "first").startsFirst)
        #expect(try read(.trip, "destination", "last").endsLast)
    }

    @Test(
        "wrong values are refused",
        arguments: [
            (DirectionsService.table, "sources", "3"), (.table, "sources", "0;0"),
            (.table, "sources", ""), (.table, "scale_factor", "0"),
            (.table, "scale_factor", "1e10"),
            (.table, "annotations", "true"), (.route, "bearings", "0,0;0,0"),
            (.route, "bearings", "361,0;;"), (.route, "radiuses", "-1;;"), (.route, "hints", "a;b"),
            (.route, "waypoints", "1;2"), (.route, "waypoints", "0;2;1"),
            (.route, "alternatives", "101"), (.nearest, "number", "0"), (.trip, "source", "last"),
        ])
    func refused(service: DirectionsService, name: String, value: String) {
        let error = #expect(throws: DirectionsError.self) { try read(service, name, value) }
        #expect(error?.message.hasPrefix(name) == true)
        #expect(error?.code == .invalidOptions)
    }
}
