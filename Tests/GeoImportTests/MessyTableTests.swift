import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("Messy tables", .enabled(if: realData != nil))
struct MessyTableTests {
    static func reading(_ name: String) throws -> Reading {
        try RealFileTests.reading("poi/messy/" + name, .csv)
    }

    /// The positions and names of airports by their code.
    static func airports() throws -> [String: (position: LonLat, name: String)] {
        var airports: [String: (position: LonLat, name: String)] = [:]
        for row in try RealFileTests.reading("poi/airports.csv", .csv).rows {
            guard let code = row.fields["iata"]?.stringValue, let position = row.position else {
                continue
            }
            airports[code] = (position, row.fields["name"]?.stringValue ?? "")
        }
        return airports
    }

    @Test(
        "every table has the rows of its description, where the airports are",
        arguments: [
            ("utf8-bom-crlf.csv", 400, "iata"), ("utf16le-bom.csv", 400, "iata"),
            ("latin1.csv", 387, "iata"), ("semicolon-decimal-comma.csv", 400, "Code_IATA"),
            ("tab-separated-no-header.tsv", 400, "column1"),
            ("wkt-and-quoted-newlines.csv", 400, "code"), ("dms.csv", 400, "iata"),
        ])
    func tables(file: String, count: Int, code: String) throws {
        let reading = try Self.reading(file)
        #expect(reading.error == nil && reading.rejections.isEmpty)
        #expect(reading.rows.count == count)
        let airports = try Self.airports()
        for row in reading.rows {
            let text = try #require(row.fields[code]?.stringValue)
            let truth = try #require(airports[text])
            let position = try #require(row.position)
            // A hundredth of a second of arc is 0.3 m; the tables are rounded to that.
            #expect(
                abs(position.lon - truth.position.lon) < 1e-5
                    && abs(position.lat - truth.position.lat) < 1e-5, "\(file) \(row.line)")
            if file != "semicolon-decimal-comma.csv", let name = row.fields["name"]?.stringValue {
                #expect(name == truth.name, "\(file) \(row.line)")
            }
        }
    }

    @Test("swapped columns are taken as named, and the report says so")
    func swapped() throws {
        let reading = try Self.reading("swapped-lat-lon.csv")
        #expect(reading.rows.count + reading.rejections.count == 400)
        var warnings = WarningCollector()
        var batch = RowBatch()
        batch.rows = reading.rows
        batch.rejections = reading.rejections
        warnings.add(batch)
        let europe = try BoundingBox(west: -10, south: 35, east: 45, north: 70)
        #expect(
            warnings.warnings(layerExtent: europe).contains(
                "all rows would fit with lon and lat swapped"))
    }

    @Test("the table of all defects is read row by row as its key says")
    func everythingWrong() throws {
        let folder = try #require(realData).appendingPathComponent("poi/messy")
        let key = try String(
            contentsOf: folder.appendingPathComponent("everything-wrong.kinds.csv"),
            encoding: .utf8)
        var kinds: [Int: String] = [:]
        for line in key.split(separator: "\n").dropFirst() {
            let cells = line.split(separator: ",")
            if cells.count == 2, let record = Int(cells[0]) { kinds[record] = String(cells[1]) }
        }
        #expect(kinds.count == 420)
        let reading = try Self.reading("everything-wrong.csv")
        // No cell of it holds a line end, so record n stands on line n + 1.
        let taken = Set(reading.lines.map { $0 - 1 })
        let reasons = Dictionary(
            uniqueKeysWithValues: reading.rejections.map { ($0.line - 1, $0.reason) })
        for (record, kind) in kinds {
            // A place at (0,0) is kept, with a warning.
            let isUsable = kind.hasPrefix("ok") || kind == "null_island"
            #expect(taken.contains(record) == isUsable, "record \(record): \(kind)")
            switch (kind, reasons[record]) {
            case ("missing_lat", .noPlace?), ("non_numeric", .notACoordinate?),
                ("lat_out_of_range", .outOfRange?), ("lon_plus_360", .outOfRange?),
                ("non_finite", .notACoordinate?), ("ragged_short", .columnCount?),
                ("ragged_long", .columnCount?):
                #expect(!isUsable)
            case (_, nil): #expect(isUsable, "record \(record): \(kind)")
            default:
                Issue.record("record \(record), \(kind): \(String(describing: reasons[record]))")
            }
        }
        // A line of spaces and a remark are no rows; an empty line is nothing.
        #expect(reading.rejections.count { $0.line > 421 } == 2)
        #expect(reading.rows.count == 200)
    }
}
