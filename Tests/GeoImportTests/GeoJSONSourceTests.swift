import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("GeoJSON as rows")
struct GeoJSONSourceTests {
    @Test("every geometry, ids, names and wrong features of a collection")
    func places() throws {
        let reading = read(try fixture("places.geojson"), as: .geojson)
        #expect(reading.error == nil)
        #expect(reading.lines == [1, 2, 3, 4, 5, 6, 7, 8, 14])
        #expect(reading.rejectedLines == [9, 10, 11, 12, 13])
        #expect(
            reading.reasons == [
                .outOfRange(column: "coordinates", lon: 200, lat: 95),
                .geoJSON(.coordinates(type: "Point")), .geoJSON(.properties),
                .json(.invalidStructure), .geoJSON(.notAnObject(what: "the feature")),
            ])
        let rows = reading.rows
        #expect(rows[0].id == "spot")
        #expect(rows[0].position == (try LonLat(lon: 13.4, lat: 52.5)))
        #expect(rows[0].fields == ["name": "Point", "deep": ["a": [1, nil]]])
        #expect(rows[1].id == "7" && rows[1].position == rows[0].position)
        #expect(
            rows[1].fields == [
                "id_": 1, "Stra_e_1": "x",
                "geometry": ["type": "Point", "coordinates": [13.4, 52.5, 34]],
            ])
        #expect(rows[2].id == FileID.objectID(for: "way/8"))
        #expect(rows[2].fields["sourceId"] == "way/8")
        #expect(rows[2].position == (try LonLat(lon: 10, lat: 0)))
        // In the ring round the hole.
        let inside = try #require(rows[3].position)
        #expect((0...9).contains(inside.lon) && (0...9).contains(inside.lat))
        #expect(!((1...8).contains(inside.lon) && (1...8).contains(inside.lat)))
        #expect(rows[4].position?.lon == 1 || rows[4].position?.lon == 3)
        #expect((170...180).contains(try #require(rows[5].position).lon))
        #expect(rows[6].position == (try LonLat(lon: 5, lat: 6)))
        #expect(rows[7].position == nil && rows[7].fields == ["name": "nowhere"])
        #expect(rows[8].fields["kind"] == "event")
        #expect(rows[8].fields["geometry"]?["type"] == "MultiLineString")
    }

    @Test("a feature has at most a thousand properties: more are rejected, whatever their names")
    func manyProperties() {
        func feature(_ count: Int) -> String {
            // All of these names become the same field's.
            let properties = (0..<count).map { "\"\(String(repeating: ".", count: $0 + 1))k\":1" }
            return "{\"type\":\"Feature\",\"id\":\"n\(count)\",\"geometry\":null,"
                + "\"properties\":{\(properties.joined(separator: ","))}}\n"
        }
        let reading = read(feature(1000) + feature(1001) + feature(3), as: .geojsonl)
        #expect(reading.rows.map(\.fields.count) == [1000, 3])
        #expect(reading.rejections.map(\.id) == ["n1001"])
        #expect(
            reading.reasons.map(\.description) == [
                "the feature has 1001 properties, but at most 1000 can be taken"
            ])
    }

    @Test(
        "a long feature in small pieces is not copied for each of them", .timeLimit(.minutes(1)),
        arguments: [ImportFormat.geojson, .geojsonl])
    func longFeature(format: ImportFormat) {
        let text = String(repeating: "x", count: 8 << 20)
        let reading = read(
            "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{\"a\":\"\(text)\"}}",
            as: format,
            cuts: .every(64))
        #expect(reading.error == nil && reading.rows.map(\.fields) == [["a": .string(text)]])
    }

    @Test("one on each line: a wrong line is one rejection, empty lines are nothing")
    func lines() throws {
        let reading = read(try fixture("places.geojsonl"), as: .geojsonl)
        #expect(reading.error == nil)
        #expect(reading.lines == [1, 3, 4] && reading.rejectedLines == [2])
        #expect(reading.rows.map(\.id) == ["a", nil, "c"])
        #expect(reading.rows.map { $0.position?.lon } == [1, 3, nil])
    }

    @Test("a record-separated sequence may break lines inside features")
    func sequence() {
        let text =
            "\u{1e}{\"type\":\n\"Point\",\"coordinates\":[1,2]}\n\u{1e}\n\u{1e}{}\n"
            + "\u{1e}{\"type\":\"Point\",\"coordinates\":[3,4]}\n"
        let reading = read(text, as: .geojsonl)
        #expect(reading.rows.map { $0.position?.lon } == [1, 3])
        #expect(
            reading.rejections == [
                RowRejection(line: 2, reason: .geoJSON(.type(what: "the feature")))
            ])
        #expect(read(text, as: .geojsonl, cuts: .every(1)) == reading)
    }

    @Test("a text gives the same rows wherever it is cut")
    func cuts() throws {
        for (name, format) in [
            ("places.geojson", ImportFormat.geojson), ("places.geojsonl", .geojsonl),
        ] {
            let bytes = try fixture(name)
            let whole = read(bytes, as: format)
            for length in 1...70 {
                #expect(read(bytes, as: format, cuts: .every(length)) == whole)
            }
        }
    }

    @Test("a bare geometry, a single feature and a byte order mark are fine")
    func single() {
        #expect(
            read("\u{feff}{\"type\":\"Point\",\"coordinates\":[1,2]}", as: .geojson).rows.count == 1
        )
        let feature =
            "{\"properties\":{\"features\":[1]},\"geometry\":null,\"features\":1,\"type\":\"Feature\"}"
        #expect(read(feature, as: .geojson).rows.map(\.fields) == [["features": [1]]])
        #expect(read("{\"features\":[],\"type\":\"FeatureCollection\"}", as: .geojson) == Reading())
        let early = "{\"type\":\"Feature\",\"features\":[7],\"geometry\":null,\"properties\":{}}"
        #expect(read(early, as: .geojson).rows.count == 1)
    }

    @Test(
        "what is wrong with the text itself is one error with its place",
        arguments: [
            ("", .empty), ("  \n", .empty),
            ("[]", .structure(offset: 0, reason: "it does not begin with {")),
            ("{", .truncated(offset: 1)), ("{\"type\"", .truncated(offset: 7)),
            ("{\"features\":[", .truncated(offset: 13)),
            ("{\"features\":[{}", .truncated(offset: 15)),
            ("{\"features\":[{},]}", .structure(offset: 16, reason: "a feature is missing")),
            ("{\"features\":[{}{}]}", .structure(offset: 15, reason: "a comma or ] is missing")),
            (
                "{\"features\":[]}",
                .structure(offset: 14, reason: "its type is not FeatureCollection")
            ),
            (
                "{\"type\":\"FeatureCollection\"}",
                .structure(offset: 27, reason: "a FeatureCollection needs an array \"features\"")
            ),
            (
                "{\"type\":\"FeatureCollection\",\"features\":{}}",
                .structure(offset: 41, reason: "a FeatureCollection needs an array \"features\"")
            ),
            ("{\"a\" 1}", .structure(offset: 5, reason: "a colon is missing")),
            ("{\"a\":}", .structure(offset: 5, reason: "a value is missing")),
            ("{\"a\":1,}", .structure(offset: 7, reason: "a member's name is missing")),
            ("{\"a\":1 \"b\":2}", .structure(offset: 7, reason: "a comma or } is missing")),
            ("\u{0}", .structure(offset: 0, reason: "it does not begin with {")),
        ] as [(String, ImportError)])
    func structure(text: String, error: ImportError) {
        #expect(read(text, as: .geojson).error == error)
        #expect(read(text, as: .geojson, cuts: .every(1)).error == error)
    }

    @Test("UTF-16 and a second text are told as such")
    func otherTexts() {
        #expect(read([0xff, 0xfe, 0x7b, 0], as: .geojson).error == .utf16)
        #expect(read([0xfe, 0xff, 0, 0x7b], as: .geojsonl).error == .utf16)
        let two = "{\"type\":\"Point\",\"coordinates\":[1,2]}\n{\"type\":\"Point\"}"
        let error = read(two, as: .geojson).error
        #expect(error?.description.contains("geojsonl") == true)
        #expect(read("\n \n", as: .geojsonl).error == .empty)
    }

    @Test("a feature that is too long or too deep is one rejection")
    func limits() {
        var options = ImportOptions()
        options.limits.featureBytes = 120
        options.limits.depth = 6
        let point = "{\"type\":\"Point\",\"coordinates\":[1,2]}"
        let long = "{\"type\":\"" + String(repeating: "x", count: 200) + "\"}"
        let deep = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        for cut in [Cuts.whole, .every(1), .every(33)] {
            let reading = read(
                "{\"type\":\"FeatureCollection\",\"features\":[\(long),\(point),\(deep),\(point)]}",
                as: .geojson, cuts: cut, options: options)
            #expect(reading.lines == [2, 4])
            #expect(reading.reasons == [.tooLong(limitBytes: 120), .json(.tooDeep(limit: 6))])
            let lines = read(
                [long, point, deep, point].joined(separator: "\n"), as: .geojsonl, cuts: cut,
                options: options)
            #expect(lines == reading)
        }
        let nested = "{\"a\":" + String(repeating: "[", count: 100_000)
        #expect(read(nested, as: .geojson).error == .truncated(offset: 100_005))
        options.limits.featureBytes = 50
        #expect(
            read("{\"a\":\"\(long.dropFirst(9))}", as: .geojson, options: options).error
                == .structure(offset: 207, reason: "a member is longer than 50 bytes"))
    }

    @Test("options name the property of id and kind")
    func properties() {
        var options = ImportOptions()
        options.idColumn = "ref"
        options.kindColumn = "sort"
        let text = """
            {"type":"Feature","id":1,"geometry":null,"properties":{"ref":"r1","kind":"a","sort":"b"}}
            {"type":"Feature","id":2,"geometry":null,"properties":{"ref":null,"a b":1,"a-b":2}}
            """
        let rows = read(text, as: .geojsonl, options: options).rows
        #expect(rows.map(\.id) == ["r1", nil])
        #expect(rows[0].fields == ["kind_2": "a", "kind": "b"])
        #expect(rows[1].fields == ["a_b": 1, "a_b_2": 2])
    }

    @Test("damaged texts never trap, and cuts never matter", arguments: 0..<150)
    func damage(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let format: ImportFormat = seed % 2 == 0 ? .geojson : .geojsonl
        var bytes = try fixture(seed % 2 == 0 ? "places.geojson" : "places.geojsonl")
        switch seed % 3 {
        case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        case 1:
            for _ in 0..<4 {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        default:
            let letters = Array("{}[]\",:\\ \n1\"features\"".utf8)
            bytes =
                Array("{\"features\":[".utf8)
                + (0..<200).map { _ in
                    letters[Int.random(in: 0..<letters.count, using: &random)]
                }
        }
        #expect(
            read(bytes, as: format, cuts: .random(seed: seed)) == read(bytes, as: format))
    }

    @Test(
        "geometries that break RFC 7946 are refused with their reason",
        arguments: [
            ("{\"type\":\"LineString\",\"coordinates\":[[1,2]]}", .shortLine),
            ("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[0,0]]]}", .shortRing),
            ("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,1]]]}", .openRing),
            ("{\"type\":\"Polygon\",\"coordinates\":[[[0,0,1],[1,0],[1,1],[0,0,2]]]}", .openRing),
            ("{\"type\":\"Point\",\"coordinates\":[1]}", .coordinates(type: "Point")),
            ("{\"type\":\"Point\",\"coordinates\":{}}", .coordinates(type: "Point")),
            ("{\"type\":\"Point\",\"coordinates\":[1,2,null]}", .coordinates(type: "Point")),
            ("{\"type\":\"MultiPoint\",\"coordinates\":[1,2]}", .coordinates(type: "MultiPoint")),
            ("{\"type\":\"point\",\"coordinates\":[1,2]}", .type(what: "the geometry")),
            ("{\"type\":\"GeometryCollection\"}", .coordinates(type: "GeometryCollection")),
            (
                "{\"type\":\"GeometryCollection\",\"geometries\":[false]}",
                .notAnObject(what: "the geometry")
            ),
            ("{\"type\":\"Point\",\"coordinates\":[1,2],\"bbox\":[1,2,3]}", .bbox),
            ("{\"type\":\"Feature\",\"properties\":{}}", .missing(member: "geometry")),
            ("{\"type\":\"Feature\",\"geometry\":null}", .missing(member: "properties")),
            ("{\"type\":\"Feature\",\"geometry\":null,\"properties\":{},\"id\":{}}", .id),
        ] as [(String, GeoJSONError)])
    func refused(text: String, error: GeoJSONError) {
        #expect(read(text, as: .geojson).reasons == [.geoJSON(error)])
    }

    @Test(
        "what goes on past 180° has a place on the globe",
        arguments: [
            ("{\"type\":\"Point\",\"coordinates\":[190,1]}", -170.0...(-170.0)),
            ("{\"type\":\"LineString\",\"coordinates\":[[170,1],[185,1],[190,1]]}", -175...(-175)),
            (
                "{\"type\":\"Polygon\",\"coordinates\":[[[-200,0],[-190,0],[-190,5],[-200,0]]]}",
                160...170
            ),
        ] as [(String, ClosedRange<Double>)])
    func pastTheAntimeridian(text: String, lons: ClosedRange<Double>) throws {
        let reading = read(text, as: .geojson)
        #expect(lons.contains(try #require(reading.rows.first?.position?.lon)))
        #expect(reading.rows[0].fields.contains("geometry") == !text.contains("Point"))
    }

    @Test("what goes on past a pole is kept without a place; a point there is refused")
    func pastThePole() {
        let line = "{\"type\":\"LineString\",\"coordinates\":[[1,80],[1,100]]}"
        let reading = read(line, as: .geojson)
        #expect(reading.rows.count == 1 && reading.rows[0].position == nil)
        #expect(reading.rows[0].fields.contains("geometry"))
        for text in [
            "{\"type\":\"Point\",\"coordinates\":[1,100]}",
            "{\"type\":\"LineString\",\"coordinates\":[[1,80],[1,190]]}",
            "{\"type\":\"LineString\",\"coordinates\":[[361,80],[1,80]]}",
        ] {
            #expect(read(text, as: .geojson).rejections.count == 1)
        }
    }
}
