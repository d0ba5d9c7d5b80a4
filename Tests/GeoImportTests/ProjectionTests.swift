import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("Reference systems")
struct ProjectionTests {
    static func system(_ text: String) throws -> CRSCode { try #require(CRSCode(text)) }

    @Test("codes are EPSG and a number")
    func codes() {
        #expect(CRSCode("EPSG:25832")?.number == 25832 && CRSCode("epsg:1")?.text == "EPSG:1")
        for text in [
            "", "25832", "EPSG:", "EPSG:0", "EPSG:-1", "EPSG:1x", "ESRI:1", "EPSG:1:2",
            "EPSG:99999999", "+proj=utm", "EPSG:25832+5621",
        ] { #expect(CRSCode(text) == nil, "\(text)") }
        #expect(CRSCode(legacyName: "urn:ogc:def:crs:EPSG::3857")?.number == 3857)
        #expect(CRSCode(legacyName: "urn:ogc:def:crs:OGC:1.3:CRS84") == .wgs84)
        #expect(CRSCode(legacyName: "nonsense") == nil)
    }

    @Test("a code that is none, and one without places, are refused by name")
    func badCodes() throws {
        let none = try #require(CRSCode("EPSG:999999"))
        #expect(throws: ImportError.noSuchCRS(code: "EPSG:999999")) { try none.check() }
        // Heights over sea level, and earth-centred coordinates.
        for text in ["EPSG:5773", "EPSG:4978"] {
            let code = try #require(CRSCode(text))
            #expect(throws: ImportError.unsuitableCRS(code: text)) { try code.check() }
        }
        var options = ImportOptions()
        options.crs = none
        #expect(
            read("x,y\n1,2\n", as: .csv, options: options).error
                == .noSuchCRS(code: "EPSG:999999"))
    }

    @Test(
        "east comes first whatever the authority's order of axes",
        arguments: [
            // False origins of the systems, whose degrees are in their definitions.
            ("EPSG:25832", 500_000.0, 0.0, 9.0, 0.0), ("EPSG:3857", 0, 0, 0, 0),
            ("EPSG:2193", 1_600_000, 10_000_000, 173, 0), ("EPSG:4258", 13.5, 52.5, 13.5, 52.5),
            ("EPSG:4326", 13.5, 52.5, 13.5, 52.5),
        ])
    func origins(code: String, east: Double, north: Double, lon: Double, lat: Double) throws {
        var options = ImportOptions()
        options.crs = try Self.system(code)
        let row = read("x,y\n\(east),\(north)\n", as: .csv, options: options).rows.first
        let position = try #require(row?.position)
        #expect(abs(position.lon - lon) < 1e-8 && abs(position.lat - lat) < 1e-8)
    }

    @Test("a row that the system does not reach is rejected, and the next is read")
    func outside() throws {
        var options = ImportOptions()
        options.crs = try Self.system("EPSG:25832")
        let reading = read(
            "x,y\n1e30,1e30\n500000,0\n", as: .csv, options: options)
        #expect(reading.rejectedLines == [2] && reading.lines == [3])
    }

    @Test("geometries are turned whole")
    func geometries() throws {
        var options = ImportOptions()
        options.crs = try Self.system("EPSG:3857")
        let text = "wkt\n\"LINESTRING(0 0,111319.49079327358 0)\"\nSRID=3857;POINT(0 0)\n"
        let reading = read(text, as: .csv, options: options)
        let line = try #require(
            reading.rows.first?.fields["geometry"]?["coordinates"]?.arrayValue?.last?.arrayValue)
        #expect(abs((line[0].doubleValue ?? 0) - 1) < 1e-9)
        #expect(reading.rows.last?.position == (try LonLat(lon: 0, lat: 0)))
    }

    @Test("GeoJSON is turned, and a stated system is not passed over")
    func geoJSON() throws {
        func text(_ crs: String) -> String {
            "{\"type\":\"FeatureCollection\",\"crs\":{\"type\":\"name\",\"properties\":{\"name\":"
                + "\"\(crs)\"}},\"features\":[{\"type\":\"Feature\",\"properties\":{},\"geometry\":"
                + "{\"type\":\"Point\",\"coordinates\":[0,0]}}]}"
        }
        #expect(
            read(text("urn:ogc:def:crs:EPSG::3857"), as: .geojson).error
                == .statedCRS(name: "urn:ogc:def:crs:EPSG::3857"))
        #expect(read(text("urn:ogc:def:crs:OGC:1.3:CRS84"), as: .geojson).rows.count == 1)
        var options = ImportOptions()
        options.crs = try Self.system("EPSG:25832")
        let line = "{\"type\":\"LineString\",\"coordinates\":[[500000,0],[500000,5700000]]}"
        let row = try #require(read(line, as: .geojsonl, options: options).rows.first)
        #expect(abs((row.position?.lon ?? 0) - 9) < 1e-8)
        let whole = read(text("EPSG:25832"), as: .geojson, options: options)
        #expect(whole.error == nil && whole.rows.count == 1)
    }

    @Test(
        "projected files land within a metre of the given answers",
        .enabled(if: realData != nil),
        arguments: [
            ("gb-cities_27700", 3529), ("fr-cities_2154", 8593), ("de-cities_25832", 10508),
            ("world-cities-sample_3857", 2410), ("nz-cities_2193", 137),
        ])
    func answers(name: String, count: Int) throws {
        let folder = try #require(realData).appendingPathComponent("projected")
        let code = try #require(name.split(separator: "_").last)
        var options = ImportOptions()
        options.crs = try Self.system("EPSG:\(code)")
        func rows(_ file: String, _ options: ImportOptions) throws -> [ImportRow] {
            let data = try Data(contentsOf: folder.appendingPathComponent(file))
            let reading = read(Array(data), as: .csv, options: options)
            #expect(reading.error == nil && reading.rejections.isEmpty)
            return reading.rows
        }
        let found = try rows("\(name).csv", options)
        let answers = try rows("\(name).lonlat.csv", ImportOptions())
        #expect(found.count == count && answers.count == count)
        for (row, answer) in zip(found, answers) {
            let one = try #require(row.position)
            let other = try #require(answer.position)
            let east = (one.lon - other.lon) * 111_320 * cos(one.lat * .pi / 180)
            let metres = hypot(east, (one.lat - other.lat) * 111_320)
            if metres > 1 { Issue.record("\(name) line \(row.line): \(metres) m") }
        }
    }
}
