import GeoIndex
import JSONText
import Testing

@testable import GeoImport

/// Reads a table and gives its notes too.
private func notes(_ text: String, options: ImportOptions = ImportOptions()) throws -> [String] {
    var receiver = try RowReceiver(format: .csv, options: options, spoolDirectory: "/tmp")
    try receiver.push(Array(text.utf8).span) { _ in }
    try receiver.finish { _ in }
    return receiver.notes
}

@Suite("What is guessed of tables")
struct TableGuessTests {
    static let plain = "name,lat,lon,height\nCafé,52.5,13.4,34.5\nBar,-33.25,151.5,2\n"

    static func text(_ bytes: [UInt8], swapped: Bool) -> [UInt8] {
        String(decoding: bytes, as: UTF8.self).utf16.flatMap { unit in
            swapped
                ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
        }
    }

    @Test("a table is the same in every encoding, with and without a mark")
    func encodings() {
        let bytes = Array(Self.plain.utf8)
        let expected = read(bytes, as: .csv)
        #expect(expected.rows.count == 2 && expected.rows[0].fields["name"] == "Café")
        #expect(read([0xef, 0xbb, 0xbf] + bytes, as: .csv) == expected)
        for cuts in [Cuts.whole, .every(1), .every(3), .random(seed: 5)] {
            let little = Self.text(bytes, swapped: false)
            let big = Self.text(bytes, swapped: true)
            #expect(read([0xff, 0xfe] + little, as: .csv, cuts: cuts) == expected)
            #expect(read([0xfe, 0xff] + big, as: .csv, cuts: cuts) == expected)
            #expect(read(little, as: .csv, cuts: cuts) == expected)
            #expect(read(big, as: .csv, cuts: cuts) == expected)
            let latin = Self.plain.unicodeScalars.map { UInt8($0.value) }
            #expect(read(latin, as: .csv, cuts: cuts) == expected)
        }
    }

    @Test("an encoding that is named is used, one that is not there is refused")
    func namedEncodings() throws {
        var options = ImportOptions()
        options.encoding = try TextEncoding(named: "IBM850")
        let bytes = Array("name,lat,lon\nCaf".utf8) + [0x82] + Array(",1.5,2.5\n".utf8)
        #expect(read(bytes, as: .csv, options: options).rows.first?.fields["name"] == "Café")
        for name in ["", "nothing", "UTF-8//IGNORE", "../etc", String(repeating: "a", count: 99)] {
            #expect(throws: ImportError.noSuchEncoding(name: name)) {
                _ = try TextEncoding(named: name)
            }
        }
    }

    @Test("a damaged character does not make a table of UTF-8 another one")
    func strayBytes() {
        let bytes = Array("name,lat,lon\nCafé,1.5,2.5\nBär,1.5,2.5\nx".utf8) + [0xe9]
        let reading = read(bytes + Array(",3.5,4.5\n".utf8), as: .csv)
        #expect(reading.rows.count == 2)
        #expect(reading.reasons == [.notUTF8(column: "name")])
    }

    @Test(
        "delimiters and line ends are found",
        arguments: [",", ";", "\t", "|"], ["\n", "\r\n", "\r"])
    func dialects(delimiter: String, newline: String) {
        let cells = [
            ["name", "lat", "lon", "note"], ["a", "1.5", "2.5", "\"x,y;z|\t\""],
            ["b", "-1.5", "-2.5", "\"two\(newline)lines\""], ["c", "0", "1.25", ""],
        ]
        let text = cells.map { $0.joined(separator: delimiter) + newline }.joined()
        let reading = read(text, as: .csv)
        #expect(reading.rejections.isEmpty && reading.error == nil)
        #expect(reading.lines == [2, 3, 5])
        #expect(reading.rows.map { $0.position?.lon } == [2.5, -2.5, 1.25])
        #expect(reading.rows.first?.fields["note"] == "x,y;z|\t")
        #expect(read(text, as: .csv, cuts: .every(1)) == reading)
    }

    @Test("decimal commas make numbers, of coordinates and of others")
    func decimalCommas() throws {
        let text =
            "Nom;Latitude;Longitude;Hauteur\nA;49,25;7,5;1058\nB;-51,75;+11;3,25\nC;1.5;2,5;1\n"
        let reading = read(text, as: .csv)
        #expect(reading.rows.map { $0.position?.lat } == [49.25, -51.75])
        #expect(reading.rows.map { $0.fields["Hauteur"] } == [1058, 3.25])
        #expect(reading.rejectedLines == [4])
        #expect(
            try notes(text) == [
                "guessed: a semicolon between the cells; a comma before the fraction"
            ])
        // Two columns, no header: commas alone would make three cells of each line.
        #expect(
            read("49,25;7,5\n51,5;11,25\n", as: .csv).rows.map { $0.position?.lon } == [7.5, 11.25])
    }

    @Test(
        "coordinates are found by their names in several languages",
        arguments: [
            ("lon.", "lat."), ("Längengrad", "Breitengrad"), ("LONGITUD", "LATITUD"),
            ("stop_lon", "stop_lat"), ("Longitude (deg)", "Latitude (deg)"), ("X", "Y"),
            ("lng", "lat"), ("Geogr. Länge", "Geogr. Breite"), ("долгота", "широта"),
            ("decimalLongitude", "decimalLatitude"), ("经度", "纬度"), ("easting", "northing"),
        ])
    func names(lon: String, lat: String) {
        let reading = read("a,\(lat),\(lon)\nx,1.5,100.5\n", as: .csv)
        #expect(reading.rows.first?.position?.lon == 100.5)
        // Nothing of the coordinates is left among the fields.
        #expect(reading.rows.first?.fields == ["a": "x"])
    }

    @Test("a guessed column is named in the notes")
    func guessedNames() throws {
        #expect(
            try notes("a,stop_lat,stop_lon\nx,1.5,2.5\n") == [
                "guessed: lon in \"stop_lon\"; lat in \"stop_lat\""
            ])
        #expect(try notes("a,lat,lon\nx,1.5,2.5\n").isEmpty)
        let projected = try notes("x,y\n500000,4649776\n500010,4649776\n")
        #expect(projected.count == 1 && projected[0].contains("EPSG:25832"))
    }

    @Test("a table without a header has numbered columns, and its first line is a row")
    func noHeader() throws {
        let text = "SCN\tSaar\t49.5\t7.25\t10\nCSO\tCochstedt\t51.75\t11.5\t20\n"
        let reading = read(text, as: .csv)
        #expect(reading.lines == [1, 2])
        #expect(reading.rows[0].position == (try LonLat(lon: 7.25, lat: 49.5)))
        #expect(reading.rows[0].fields == ["column1": "SCN", "column2": "Saar", "column5": 10])
        #expect(
            try notes(text) == [
                "guessed: a tab between the cells; no header line; lon in \"column4\", "
                    + "lat in \"column3\""
            ])
        // A longitude beyond 90 tells the two apart.
        #expect(read("a,151.5,-33.5\n", as: .csv).rows.first?.position?.lon == 151.5)
        var options = ImportOptions()
        options.lonColumn = "3"
        options.latColumn = "4"
        options.idColumn = "1"
        let named = read(text, as: .csv, options: options)
        #expect(named.rows.map(\.position?.lat) == [7.25, 11.5] && named.rows[0].id == "SCN")
        options = ImportOptions()
        options.hasHeader = true
        #expect(
            read("a,1.5,2.5\n", as: .csv, options: options).error
                == .noCoordinateColumn(coordinate: "lon", columns: ["a", "1.5", "2.5"]))
        options.hasHeader = false
        #expect(
            read("lat,lon\n", as: .csv, options: options).error
                == .noCoordinateColumn(coordinate: "lon", columns: ["column1", "column2"]))
    }

    @Test("a stray angle among decimal numbers is refused, a number among angles is not")
    func mixedNotations() {
        let decimal = read("lat,lon\n1.5,2.5\n3.5,4.5\n43.5°,6.5\n\"39,5\",2.5\n", as: .csv)
        #expect(decimal.rejectedLines == [4, 5])
        let angles = read("lat,lon\n1°30'N,2°E\n3°30'N,4°E\n43.5,6.5\n1°30'E,2°N\n", as: .csv)
        #expect(angles.rows.map { $0.position?.lat } == [1.5, 3.5, 43.5])
        #expect(angles.rejectedLines == [5])
    }

    @Test("geometries in a column are located at a point on them")
    func geometries() throws {
        let text = """
            name;geom
            a;POINT (7.5 49.25)
            b;"SRID=4326;LINESTRING Z (0 0 5, 2 0 6, 4 0 7)"
            c;POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,2 1,1 1))
            d;POINT EMPTY
            e;SRID=3857;POINT(1 1)
            f;POINT(200 1)
            g;POLYGON((0 0,4 0,4 4,0 1))
            h;nonsense

            """
        let reading = read(
            text.replacing("e;SRID=3857;", with: "e;\"SRID=3857;").replacing(
                "1)\nf", with: "1)\"\nf"), as: .csv)
        #expect(reading.lines == [2, 3, 4])
        try #require(reading.rows.count == 3)
        #expect(reading.rows[0].position == (try LonLat(lon: 7.5, lat: 49.25)))
        #expect(reading.rows[0].fields == ["name": "a"])
        #expect(reading.rows[1].position == (try LonLat(lon: 2, lat: 0)))
        #expect(reading.rows[1].fields["geometry"]?["type"] == "LineString")
        let place = try #require(reading.rows[2].position)
        #expect((0...4).contains(place.lon) && (0...4).contains(place.lat))
        #expect(!((1...2).contains(place.lon) && (1...2).contains(place.lat)))
        #expect(
            reading.reasons == [
                .noPlace(column: "geom"),
                .otherCRS(column: "geom", srid: 3857, expected: "EPSG:4326"),
                .outOfRange(column: "geom", lon: 200, lat: 1), .geoJSON(.openRing),
                .notACoordinate(column: "geom", wanted: "a geometry in WKT"),
            ])
    }
}
