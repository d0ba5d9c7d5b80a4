import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("Tables as rows")
struct CSVSourceTests {
    @Test("quotes, line ends, types and ids of a small table")
    func cafes() throws {
        let reading = read(try fixture("cafes.csv"), as: .csv)
        #expect(reading.error == nil && reading.rejections.isEmpty)
        #expect(reading.lines == [2, 4, 5, 6, 7])
        #expect(
            reading.rows.map(\.id) == ["c1", "c2", FileID.objectID(for: "way/3"), "c4", "c_5"])
        #expect(reading.rows[0].position == (try LonLat(lon: 13.405, lat: 52.52)))
        #expect(
            reading.rows[0].fields == [
                "name": "Café \"Zur Linde\"", "seats": 40, "open": true, "note": "two\nlines",
                "f2nd_phone": "0301",
            ])
        #expect(
            reading.rows[1].fields == [
                "name": "Bäckerei, alt", "seats": 12.5, "open": false, "f2nd_phone": "0302",
            ])
        #expect(reading.rows[2].fields["sourceId"] == "way/3")
        #expect(reading.rows[3].fields == ["seats": -7, "open": false, "f2nd_phone": "0304"])
        #expect(reading.rows[4].fields["seats"] == 1000)
    }

    @Test("semicolons, CRLF and a byte order mark change nothing")
    func dialect() throws {
        let plain = read(try fixture("cafes.csv"), as: .csv)
        let other = read(try fixture("cafes-semicolon-crlf.csv"), as: .csv)
        #expect(plain == other)
    }

    @Test("each broken row is rejected with its line and reason, the others are read")
    func brokenRows() throws {
        let reading = read(try fixture("broken-rows.csv"), as: .csv)
        #expect(reading.error == nil)
        #expect(reading.lines == [2, 12, 14, 15, 18])
        #expect(reading.rejectedLines == [3, 4, 5, 6, 7, 8, 9, 10, 11, 17])
        #expect(
            reading.reasons == [
                .columnCount(found: 2, expected: 3), .columnCount(found: 4, expected: 3),
                .noPlace(column: "lon"),
                .notACoordinate(column: "lat", wanted: "a decimal number"),
                .outOfRange(column: "lon", lon: 181, lat: 52.5),
                .outOfRange(column: "lat", lon: 13.4, lat: -90.5),
                .notACoordinate(column: "lon", wanted: "a decimal number"),
                .notUTF8(column: "name"), .textAfterQuote, .unclosedQuote,
            ])
        #expect(reading.reasons[4].description.contains("longitude 181.0"))
        try #require(reading.rows.count == 5)
        #expect(reading.rows[2].position == (try LonLat(lon: 13.4, lat: 52.5)))
        #expect(reading.rows[3].fields["name"] == "good\nfour")
    }

    @Test(
        "a file gives the same rows wherever it is cut",
        arguments: ["cafes.csv", "cafes-semicolon-crlf.csv", "broken-rows.csv"])
    func cuts(name: String) throws {
        let bytes = try fixture(name)
        let whole = read(bytes, as: .csv)
        for length in 1...40 { #expect(read(bytes, as: .csv, cuts: .every(length)) == whole) }
    }

    @Test("a column is what all its cells are")
    func types() {
        let text = """
            lon,lat,number,zip,mixed,flag,maybe,key,empty,late
            1,2,1,01234,1,true,true,12345678901234567890,,1
            1,2,-2.5e3,1,x,false,yes,1,,2
            1,2,,2,3,,false,2,,three

            """
        let rows = read(text, as: .csv).rows
        #expect(rows.count == 3)
        #expect(rows[0].fields["number"] == 1 && rows[1].fields["number"] == -2500)
        #expect(rows[2].fields["number"] == nil)
        #expect(rows[1].fields["zip"] == "1")
        #expect(rows[0].fields["mixed"] == "1" && rows[2].fields["mixed"] == "3")
        #expect(rows[0].fields["flag"] == true && rows[2].fields["flag"] == nil)
        #expect(rows[0].fields["maybe"] == "true")
        #expect(rows[0].fields["key"] == "12345678901234567890" && rows[1].fields["key"] == "1")
        #expect(rows.allSatisfy { $0.fields["empty"] == nil })
        #expect(rows[0].fields["late"] == "1")
    }

    @Test(
        "the columns of the place are found by their usual names, in any case",
        arguments: ["lon,lat", "LNG,Lat", "Longitude,LATITUDE", "x,y", "y,x", "\"lat\", lon "])
    func coordinateNames(header: String) {
        let reading = read("\(header)\n1,2\n", as: .csv)
        #expect(reading.error == nil)
        let isLatFirst = header.hasPrefix("y") || header.hasPrefix("\"lat")
        #expect(reading.rows.first?.position?.lon == (isLatFirst ? 2 : 1))
    }

    @Test("options name the columns of place, id and kind")
    func namedColumns() {
        var options = ImportOptions()
        options.lonColumn = "east"
        options.latColumn = "North"
        options.idColumn = "code"
        options.kindColumn = "sort"
        let reading = read(
            "code,lon,kind,sort,east,north\nq7,5,a,b,1,2\n", as: .csv, options: options)
        #expect(
            reading.rows == [
                ImportRow(
                    line: 2, id: "q7", position: try? LonLat(lon: 1, lat: 2),
                    fields: ["lon": 5, "kind_2": "a", "kind": "b"])
            ])
        options.idColumn = "none"
        #expect(
            read("code,sort,east,north\n", as: .csv, options: options).error
                == .noSuchColumn(
                    option: "id", name: "none", columns: ["code", "sort", "east", "north"]))
    }

    @Test("a file without a usable header is one clear error")
    func headers() {
        #expect(read("", as: .csv).error == .empty)
        #expect(read("\n\r\n", as: .csv).error == .empty)
        let error = read("name,breite\nx,1\n", as: .csv).error
        #expect(error == .noCoordinateColumn(coordinate: "lon", columns: ["name", "breite"]))
        #expect(error?.description.contains("\"breite\"") == true)
        let damaged = Array("lon,lat,é,".utf8) + [0xff] + Array("\n1,2,ö,ü\n".utf8)
        #expect(read(damaged, as: .csv).error == .headerNotUTF8)
        var options = ImportOptions()
        options.limits.headerBytes = 20
        options.limits.columns = 3
        #expect(
            read(String(repeating: "x", count: 30), as: .csv, options: options).error
                == .headerTooLong(limitBytes: 20))
        #expect(read("a,b,c,d\n", as: .csv, options: options).error == .tooManyColumns(limit: 3))
        #expect(read("lon,lat", as: .csv) == Reading())
        #expect(read("\n\nlon,lat\n\n1,2", as: .csv).lines == [5])
    }

    @Test("damaged tables never trap, and cuts never matter", arguments: 0..<120)
    func damage(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var bytes = try fixture(seed % 2 == 0 ? "cafes.csv" : "broken-rows.csv")
        switch seed % 3 {
        case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        case 1:
            for _ in 0..<5 {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        default:
            let header = Array("lon,lat,a\n".utf8)
            bytes = header + (0..<300).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        let whole = read(bytes, as: .csv)
        #expect(read(bytes, as: .csv, cuts: .random(seed: seed)) == whole)
        for row in whole.rows { #expect(row.position != nil) }
    }
}
