import JSONText
import Testing

@testable import GeoImport

@Suite("Angles and geometries in text")
struct NotationTests {
    static func angle(_ text: String, _ axis: CoordinateNames.Axis = .lat) -> Double? {
        let bytes = Array(text.utf8)
        return SexagesimalAngle.degrees(bytes.span, bytes.indices, axis)
    }

    @Test(
        "one angle in many spellings",
        arguments: [
            "49°12'36.0\"N", "N49°12'36\"", "N 49° 12.6'", "49 12 36", "49:12:36", "49d12m36s N",
            "+49°12′36″", "49º12’36” N", "49° 12' 36'' n", "49,21° N", "49.21N", "N 49.21",
            "49 ° 12 ' 36 \"", "49°12,6'",
        ])
    func spellings(text: String) throws {
        #expect(abs(try #require(Self.angle(text)) - 49.21) < 1e-12)
    }

    @Test("south and west, and a minus, are negative")
    func negative() {
        #expect(Self.angle("49°30'S") == -49.5)
        #expect(Self.angle("-0°30'") == -0.5)
        #expect(Self.angle("\u{2212}12 30 0") == -12.5)
        #expect(Self.angle("7°30'W", .lon) == -7.5)
        #expect(abs((Self.angle("E007 06 36", .lon) ?? 0) - 7.11) < 1e-12)
    }

    @Test(
        "what is no angle is none",
        arguments: [
            "", "N", "°", "49°61'", "49°12'60.5\"", "49°12'36\"NN", "-49°N", "49°30'E", "1 2 3 4",
            "49.5°30'", "'49", "49\"12", "4x", "1e400", "12--3", "1..5", "49°12'36\"X",
            "٤٩°", String(repeating: "9", count: 65),
        ])
    func noAngles(text: String) {
        #expect(Self.angle(text) == nil)
    }

    @Test("Well-Known Text becomes GeoJSON")
    func geometries() {
        func json(_ text: String) -> String? {
            WKTReader.geometry(Array(text.utf8)).map {
                String(decoding: JSONWriter.encode($0.json), as: UTF8.self)
            }
        }
        #expect(json(" point(1 2) ") == #"{"type":"Point","coordinates":[1,2]}"#)
        #expect(json("POINTZ(1 2 3)") == #"{"type":"Point","coordinates":[1,2,3]}"#)
        #expect(json("POINT ZM (1 2 3 4)") == #"{"type":"Point","coordinates":[1,2,3]}"#)
        #expect(json("POINT M (1 2 9)") == #"{"type":"Point","coordinates":[1,2]}"#)
        #expect(
            json("MULTIPOINT((1 2),(3 4))") == json("MultiPoint (1 2, 3 4)"))
        #expect(
            json("MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))")
                == #"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],"#
                + "[[[5,5],[6,5],[6,6],[5,5]]]]}")
        #expect(
            json("GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1),POINT EMPTY)")
                == #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},"#
                + #"{"type":"LineString","coordinates":[[0,0],[1,1]]}]}"#)
        #expect(json("POLYGON EMPTY") == "null")
        for text in [
            "", "POINT", "POINT(", "POINT(1)", "POINT(1 2", "POINT(1 2))", "POINT(1 2) x",
            "POINT(a b)", "CIRCLE(1 2)", "SRID=;POINT(1 2)", "LINESTRING(1 2,)", "POINT Z (1 2)",
            "POINT(1e999 2)", "SRID=1", "POINT((1 2))", "POLYGON(0 0,1 1)",
        ] { #expect(json(text) == nil, "\(text)") }
    }

    @Test("a bomb of nested collections is refused")
    func bomb() {
        let text = String(repeating: "GEOMETRYCOLLECTION(", count: 50_000)
        #expect(WKTReader.geometry(Array(text.utf8)) == nil)
    }
}
