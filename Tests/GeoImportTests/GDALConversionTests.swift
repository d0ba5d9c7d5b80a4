import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

private let ogr2ogr = "/usr/bin/ogr2ogr"

@Suite(
    "Files that GDAL reads", .enabled(if: FileManager.default.isExecutableFile(atPath: ogr2ogr)))
struct GDALConversionTests {
    /// A folder that is gone after the test.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gdal-\(UUID().uuidString)")
        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(at: url) }
    }

    /// Three towns of a file of ours in another format, in UTM.
    private static func make(_ format: String, _ name: String, in folder: Folder) throws -> URL {
        let features = [(7.5, 49.25, "Saar"), (9.0, 51.5, "Höxter"), (11.25, 48.0, "Isar")].map {
            "{\"type\":\"Feature\",\"properties\":{\"name\":\"\($0.2)\"},\"geometry\":"
                + "{\"type\":\"Point\",\"coordinates\":[\($0.0),\($0.1)]}}"
        }
        let source = folder.url.appendingPathComponent("source.geojsonl")
        try features.joined(separator: "\n").write(to: source, atomically: true, encoding: .utf8)
        let file = folder.url.appendingPathComponent(name)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ogr2ogr)
        process.arguments = [
            "-f", format, "-t_srs", "EPSG:25832", "-lco", "ENCODING=UTF-8", file.path, source.path,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return file
    }

    private static func reading(_ path: String, _ format: ImportFormat) throws -> Reading {
        var reading = Reading()
        _ = try FileImport.read(
            try GDALConversion.open(path, format: format, crs: nil), format: .geojsonl,
            options: ImportOptions(), spoolDirectory: NSTemporaryDirectory()
        ) { batch in
            reading.rows += batch.rows
            reading.rejections += batch.rejections
        }
        return reading
    }

    private static func expectTowns(_ reading: Reading) {
        #expect(reading.rejections.isEmpty && reading.error == nil)
        #expect(
            reading.rows.map { $0.fields["name"]?.stringValue } == ["Saar", "Höxter", "Isar"])
        let lons = reading.rows.compactMap { $0.position?.lon }
        #expect(zip(lons, [7.5, 9.0, 11.25]).allSatisfy { abs($0 - $1) < 1e-6 } && lons.count == 3)
    }

    @Test("a shapefile and its folder are read, in degrees whatever their system")
    func shapefile() throws {
        let folder = try Folder()
        let file = try Self.make("ESRI Shapefile", "towns.shp", in: folder)
        Self.expectTowns(try Self.reading(file.path, .shapefile))
    }

    @Test("a GeoPackage is read as a file and as bytes that come by themselves")
    func geopackage() throws {
        let folder = try Folder()
        let file = try Self.make("GPKG", "towns.gpkg", in: folder)
        Self.expectTowns(try Self.reading(file.path, .geopackage))
        let bytes = Array(try Data(contentsOf: file))
        Self.expectTowns(read(bytes, as: .geopackage, cuts: .every(70_000)))
    }

    @Test("what is no file of the format is refused, and no other driver looks at it")
    func refused() throws {
        let folder = try Folder()
        let path = folder.url.appendingPathComponent("secret.csv").path
        try "lon,lat\n1,2\n".write(toFile: path, atomically: true, encoding: .utf8)
        for format in [ImportFormat.shapefile, .geopackage] {
            #expect(throws: ImportError.self) { _ = try Self.reading(path, format) }
            guard case .conversion? = read("lon,lat\n1,2\n", as: format).error else {
                Issue.record("text was taken as \(format)")
                continue
            }
        }
        #expect(throws: ImportError.file(operation: "opened", code: ENOENT)) {
            _ = try Self.reading("/nowhere/at/all.gpkg", .geopackage)
        }
        // The first bytes are right, the rest is not.
        let broken = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 7, count: 5000)
        guard case .conversion? = read(broken, as: .geopackage).error else {
            Issue.record("a broken GeoPackage was taken")
            return
        }
        let archive = Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 7, count: 5000)
        guard case .conversion? = read(archive, as: .shapefile).error else {
            Issue.record("a broken archive was taken")
            return
        }
    }

    @Test(
        "the boroughs of a zipped shapefile in feet lie in New York", .enabled(if: realData != nil))
    func boroughs() throws {
        let file = try #require(realData).appendingPathComponent("projected/nybb_16a_2263.shp.zip")
        let bytes = Array(try Data(contentsOf: file))
        for reading in [
            try Self.reading(file.path, .shapefile), read(bytes, as: .shapefile),
        ] {
            #expect(reading.rows.count == 5 && reading.rejections.isEmpty)
            for row in reading.rows {
                let place = try #require(row.position)
                #expect((-74.3 ... -73.6).contains(place.lon) && (40.4...41).contains(place.lat))
            }
        }
    }
}
