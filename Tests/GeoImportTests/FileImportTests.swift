import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("Files and pipes")
struct FileImportTests {
    static func readFile(_ url: URL, format: ImportFormat) throws -> (Reading, [String], [Double]) {
        var reading = Reading()
        var shares: [Double] = []
        let notes = try FileImport.read(
            try ByteFile(opening: url.path), format: format, options: ImportOptions(),
            spoolDirectory: NSTemporaryDirectory(),
            progress: { share in if let share { shares.append(share) } }
        ) { batch in
            reading.rows += batch.rows
            reading.rejections += batch.rejections
        }
        return (reading, notes, shares)
    }

    @Test(
        "a file gives what its bytes give",
        arguments: [
            ("cafes.csv", ImportFormat.csv), ("broken-rows.csv", .csv),
            ("places.geojson", .geojson),
            ("places.geojsonl", .geojsonl),
        ])
    func files(name: String, format: ImportFormat) throws {
        let url = checkout.appendingPathComponent("fixtures/import/" + name)
        let (reading, notes, shares) = try Self.readFile(url, format: format)
        #expect(reading == read(try fixture(name), as: format))
        #expect(shares.last == 1 && shares == shares.sorted())
        if name == "cafes.csv" {
            #expect(notes == ["column \"2nd phone\" is stored as f2nd_phone"])
        }
        if name == "places.geojson" { #expect(notes.count == 2) }
    }

    @Test("a file that is not there is an error with the system's code")
    func missing() {
        #expect(throws: ImportError.file(operation: "opened", code: 2)) {
            _ = try ByteFile(opening: "/nowhere/at/all.csv").size
        }
        #expect(throws: ImportError.self) {
            _ = try ByteFile.temporary(inDirectory: "/nowhere/at/all").size
        }
    }

    @Test("an error of the receiving side stops the reading")
    func stops() throws {
        struct Full: Error {}
        let url = checkout.appendingPathComponent("fixtures/import/cafes.csv")
        #expect(throws: Full.self) {
            _ = try FileImport.read(
                try ByteFile(opening: url.path), format: .csv, options: ImportOptions(),
                spoolDirectory: NSTemporaryDirectory()
            ) { _ in throw Full() }
        }
    }
}

@Suite("Real files", .enabled(if: realData != nil))
struct RealFileTests {
    static func reading(_ path: String, _ format: ImportFormat) throws -> Reading {
        let folder = try #require(realData)
        return try FileImportTests.readFile(folder.appendingPathComponent(path), format: format).0
    }

    @Test(
        "tables have the rows that their description counts",
        arguments: [
            ("poi/rg_cities1000.csv", 144_563, 0), ("poi/airports.csv", 28_298, 0),
            ("poi/earthquakes.csv", 596, 0), ("poi/messy/utf8-bom-crlf.csv", 400, 0),
        ])
    func tables(path: String, rows: Int, rejected: Int) throws {
        let reading = try Self.reading(path, .csv)
        #expect(reading.rows.count == rows && reading.rejections.count == rejected)
    }

    @Test("the cities' cells are read to the last")
    func cities() throws {
        let row = try #require(try Self.reading("poi/rg_cities1000.csv", .csv).rows.first)
        #expect(row.position?.lon == 1.65362 && row.position?.lat == 42.57952)
        #expect(row.fields == ["name": "El Tarter", "admin1": "Canillo", "cc": "AD"])
    }

    @Test("the places are 163, one of them nowhere")
    func places() throws {
        let reading = try Self.reading("poi/places.geojson", .geojson)
        #expect(reading.rows.count == 163 && reading.rejections.isEmpty)
        #expect(reading.rows.count { $0.position == nil } == 1)
    }

    static func names(_ folder: String) throws -> [String] {
        let url = try #require(realData).appendingPathComponent("geojson/" + folder)
        return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    static func format(_ name: String) -> ImportFormat {
        name.hasSuffix("l") || name.hasSuffix("s") ? .geojsonl : .geojson
    }

    @Test("messy tables are read or refused, never a crash")
    func questionable() throws {
        let folder = try #require(realData).appendingPathComponent("poi/messy")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            _ = try? Self.reading("poi/messy/" + name, .csv)
        }
    }
}
