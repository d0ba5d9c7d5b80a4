import GeoIndex
import TestSupport
import Testing

@testable import GeoService

@Suite("Coordinates in a path")
struct CoordinateTextTests {
    private func places(_ text: String) throws(DirectionsError) -> [String] {
        try CoordinateText.places(text, count: 2...3).map { "\($0.lon),\($0.lat)" }
    }

    @Test(
        "are read in all of OSRM's forms",
        arguments: [
            ("13.4,52.5;13.5,52.6", ["13.4,52.5", "13.5,52.6"]),
            ("13.4,52.5;13.5,52.6.json", ["13.4,52.5", "13.5,52.6"]),
            ("181,0;-190,-90", ["-179.0,0.0", "170.0,-90.0"]),
            ("-1e1,+5;0,-0.00000004", ["-10.0,5.0", "0.0,0.0"]),
            (
                "polyline(_p~iF~ps|U_ulLnnqC_mqNvxq`@)",
                ["-120.2,38.5", "-120.95,40.7", "-126.453,43.252"]
            ),
            ("polyline6(_c`|@_c`|@_ibE_ibE)", ["1.0,1.0", "1.1,1.1"]),
        ])
    func forms(text: String, expected: [String]) throws {
        #expect(try places(text) == expected)
    }

    @Test(
        "that are wrong are named with what would be right",
        arguments: [
            ("13.4,52.5", DirectionsError.Code.invalidOptions, "1 coordinates; at least 2"),
            ("1,1;2,2;3,3;4,4", .tooBig, "4 coordinates; at most 3"),
            ("1,1;2", .invalidUrl, "coordinate 1 must be two numbers lon,lat"),
            ("1,1;2,2,2", .invalidUrl, "coordinate 1 must be"),
            ("1,1;", .invalidUrl, "coordinate 1"),
            ("nan,1;2,2", .invalidUrl, "coordinate 0 must"),
            ("0x1,1;2,2", .invalidUrl, "coordinate 0"),
            ("1,91;2,2", .invalidValue, "coordinate 0 is no place: latitude 91.0"),
            ("1,1;1e9,0", .invalidValue, "coordinate 1 is no place: longitude"),
            ("polyline(_p~iF~ps|U", .invalidUrl, "no closing bracket"),
            ("polyline(_p~iF)", .invalidUrl, "ends within"),
            ("polyline( p)", .invalidUrl, "offset 0"),
            ("polyline()", .invalidOptions, "0 coordinates"),
            ("polyline(????????)", .tooBig, "more than 3"),
            ("polyline(_gayB????)", .invalidOptions, ""),
        ])
    func wrong(text: String, code: DirectionsError.Code, part: String) {
        let error = #expect(throws: DirectionsError.self) { try places(text) }
        guard !part.isEmpty else { return }
        #expect(error?.code == code)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test("never trap", arguments: 0..<16)
    func anything(seed: Int) {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "1", ".", ",", ";", "-", "e9", "polyline(", ")", "~", "?", "é", ".json", "9999",
        ]
        for _ in 0..<200 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            _ = try? places(text)
        }
    }
}
