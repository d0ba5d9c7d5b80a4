import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("OpenStreetMap files")
struct OSMImportTests {
    private static func options(_ tags: String? = nil) throws -> ImportOptions {
        var options = ImportOptions()
        if let tags { options.tags = try OSMTagFilter(tags) }
        return options
    }

    private static func read(
        _ url: URL, _ options: ImportOptions
    ) throws -> (reading: Reading, notes: [String]) {
        var reading = Reading()
        let notes = try FileImport.read(
            try ByteFile(opening: url.path), format: .osm, options: options,
            spoolDirectory: NSTemporaryDirectory()
        ) { batch in
            reading.rows += batch.rows
            reading.rejections += batch.rejections
        }
        return (reading, notes)
    }

    private static func village(
        _ suffix: String = "osm", tags: String? = nil
    ) throws -> Reading {
        let url = checkout.appendingPathComponent("fixtures/import/village.\(suffix)")
        return try read(url, try options(tags)).reading
    }

    private static func row(_ id: String, in reading: Reading) throws -> ImportRow {
        try #require(reading.rows.first { $0.id == id }, "\(id) is not there")
    }

    @Test(
        "all encodings of a file give the same rows", arguments: ["osm.pbf", "osm.gz", "osm.bz2"])
    func encodings(suffix: String) throws {
        let plain = try Self.village()
        #expect(plain.rows.count == 8)
        #expect(try Self.village(suffix) == plain)
    }

    @Test("nodes, ways and areas are where they are, with their tags as fields")
    func village() throws {
        let found = try Self.village()
        let cafe = try Self.row("n9", in: found)
        #expect(cafe.position == (try LonLat(lon: 10.03, lat: 51.03)))
        #expect(cafe.fields["kind"] == "cafe" && cafe.fields["amenity"] == "cafe")
        // A tag that is named as the field of the kind gives way.
        #expect(cafe.fields["kind_2"] == "own")
        #expect(cafe.fields["name"] == "Café Kürbis & Söhne ☕")
        #expect(cafe.fields["geometry"] == nil)
        let school = try Self.row("w20", in: found)
        #expect(school.fields["addr_street"] == "Seeweg")
        #expect(school.fields["geometry"]?["type"] == "Polygon")
        let inside = try #require(school.position)
        #expect((10...10.002).contains(inside.lon) && (51...51.001).contains(inside.lat))
        let wall = try Self.row("w21", in: found)
        #expect(wall.fields["geometry"]?["type"] == "LineString")
        #expect(wall.position == (try LonLat(lon: 10.011, lat: 51.011)))
        #expect(wall.fields["name_en"] == "Old wall")
        // A closed road is a line; a way of which one node is known is there.
        #expect(try Self.row("w27", in: found).fields["geometry"]?["type"] == "LineString")
        #expect(try Self.row("w23", in: found).position == (try LonLat(lon: 10.02, lat: 51.02)))
        // The edges of the globe, negative ids and those beyond a double's whole numbers.
        #expect(
            try Self.row("n-7", in: found).position
                == (try LonLat(lon: -179.9999999, lat: -51.04)))
        #expect(
            try Self.row("n9007199254740993", in: found).position
                == (try LonLat(lon: 180, lat: 90)))
    }

    @Test("a multipolygon of several ways keeps its hole, and its place is not in it")
    func multipolygon() throws {
        let park = try Self.row("r30", in: Self.village())
        #expect(park.fields["kind"] == "park" && park.fields["location_"] == "underground")
        let rings = try #require(park.fields["geometry"]?["coordinates"]?.arrayValue)
        #expect(park.fields["geometry"]?["type"] == "Polygon" && rings.count == 2)
        let place = try #require(park.position)
        #expect((10.1...10.2).contains(place.lon) && (51.1...51.2).contains(place.lat))
        #expect(!((10.14...10.16).contains(place.lon) && (51.14...51.16).contains(place.lat)))
        // RFC 7946, 3.1.6: the outer ring counterclockwise, the inner one clockwise.
        let areas = try rings.map { ring in
            let points = try #require(ring.arrayValue).map { point in
                (
                    try #require(point.arrayValue?[0].doubleValue),
                    try #require(point.arrayValue?[1].doubleValue)
                )
            }
            return zip(points, points.dropFirst()).reduce(0.0) {
                $0 + ($1.0.0 * $1.1.1 - $1.1.0 * $1.0.1)
            }
        }
        #expect(areas[0] > 0 && areas[1] < 0)
    }

    @Test("what has no place is told, by its id")
    func rejections() throws {
        let found = try Self.village()
        #expect(
            Set(found.rejections.map { $0.reason.description }) == [
                "w22: none of the way's nodes is in the file",
                "r31: the ways of the relation are not all in the file, or make no rings",
                "r32: the relation is neither a multipolygon nor a boundary, so it has no place",
            ])
        #expect(Set(found.rejections.compactMap(\.id)) == ["w22", "r31", "r32"])
    }

    @Test(
        "a filter takes what has one of its keys and values",
        arguments: [
            ("shop", ["n-7", "w23"]), ("shop=bakery", ["n-7"]),
            ("shop = bakery | kiosk", ["n-7", "w23"]),
            ("natural=tree,shop=kiosk", ["n10", "w23"]), ("amenity=bench", ["n9007199254740993"]),
            ("nothing", []),
        ])
    func filters(tags: String, ids: [String]) throws {
        #expect(Set(try Self.village(tags: tags).rows.compactMap(\.id)) == Set(ids))
    }

    @Test("the kind is what the filter looked for, or what is asked for")
    func kinds() throws {
        #expect(
            try Self.row("w27", in: Self.village(tags: "highway,tourism")).fields["kind"]
                == "pedestrian")
        #expect(
            try Self.row("w27", in: Self.village(tags: "tourism,highway")).fields["kind"]
                == "viewpoint")
        var options = try Self.options("tourism")
        options.kindColumn = "barrier"
        let url = checkout.appendingPathComponent("fixtures/import/village.osm")
        let found = try Self.read(url, options).reading
        #expect(try Self.row("w21", in: found).fields["kind"] == "wall")
        #expect(try Self.row("w27", in: found).fields["kind"] == nil)
    }

    @Test("a file without an object of those tags says so")
    func nothing() throws {
        let url = checkout.appendingPathComponent("fixtures/import/village.osm.pbf")
        let (reading, notes) = try Self.read(url, try Self.options("aeroway=gate"))
        #expect(reading == Reading())
        #expect(notes == ["no object of the file has one of the tags aeroway=gate"])
    }

    @Test(
        "a text that is no filter is refused",
        arguments: [
            "", ",", "=", "shop=", "shop=a||b", "a,,b", "\u{0}",
            String(repeating: "k", count: 2_000),
        ])
    func badFilters(text: String) {
        #expect(throws: OSMTagFilterError.self) { try OSMTagFilter(text) }
    }

    @Test("bytes that come by themselves give what the file gives")
    func receiver() throws {
        let bytes = try fixture("village.osm.pbf")
        var reading = Reading()
        var receiver = try RowReceiver(
            format: .osm, options: ImportOptions(), spoolDirectory: NSTemporaryDirectory())
        for byte in bytes { try receiver.push([byte].span) { _ in } }
        try receiver.finish { batch in
            reading.rows += batch.rows
            reading.rejections += batch.rejections
        }
        #expect(try Self.village() == reading)
    }

    /// `GEOSERVICE_OSM_MUTATIONS=1000000` takes as many for each encoding.
    private static let mutations =
        ProcessInfo.processInfo.environment["GEOSERVICE_OSM_MUTATIONS"].flatMap { Int($0) } ?? 120

    @Test("damaged files are read or refused", arguments: ["osm", "osm.pbf", "osm.gz", "osm.bz2"])
    func damage(suffix: String) throws {
        let whole = try fixture("village.\(suffix)")
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("damaged-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        var refused = 0
        for seed in 0..<Self.mutations {
            var random = SeededRandom(seed: seed)
            var bytes = whole
            switch seed % 3 {
            case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            case 1: bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << (seed / 3 % 8)
            default:
                for _ in 0..<8 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
            }
            try Data(bytes).write(to: url)
            do {
                _ = try Self.read(url, ImportOptions())
            } catch let error as ImportError {
                guard case .osm = error else {
                    Issue.record("seed \(seed): \(error)")
                    continue
                }
                refused += 1
            }
        }
        #expect(refused > Self.mutations / 4)
    }
}

@Suite("Real OpenStreetMap files")
struct RealOSMTests {
    private static let folder = checkout.appendingPathComponent("../shared/data/osm")

    /// As `osmium tags-filter -R FILE nwr/amenity nwr/shop nwr/tourism` counts them.
    @Test(
        "as many objects as another reader finds",
        .enabled(if: FileManager.default.fileExists(atPath: folder.path)),
        arguments: [
            ("monaco-2016.osm.pbf", 597, 175, 3), ("baltimore.osm.pbf", 537, 359, 2),
            ("moscow-2013-unsorted.osm.pbf", 79, 43, 4), ("monaco-2012.osm.gz", 195, 28, 1),
            ("64bit_ids.osm", 6, 6, 0),
        ])
    func counts(name: String, nodes: Int, ways: Int, relations: Int) throws {
        var options = ImportOptions()
        options.tags = try OSMTagFilter("amenity,shop,tourism")
        var ids: [String] = []
        _ = try FileImport.read(
            try ByteFile(opening: Self.folder.appendingPathComponent(name).path), format: .osm,
            options: options, spoolDirectory: NSTemporaryDirectory()
        ) { batch in
            ids += batch.rows.compactMap(\.id) + batch.rejections.compactMap(\.id)
        }
        let found = ["n", "w", "r"].map { letter in ids.count { $0.hasPrefix(letter) } }
        #expect(found == [nodes, ways, relations])
        #expect(Set(ids).count == ids.count)
    }

    @Test(
        "what cannot be read is refused",
        .enabled(if: FileManager.default.fileExists(atPath: folder.path)),
        arguments: ["bad-truncated", "bad-corrupt-block", "bad-not-a-pbf"])
    func bad(name: String) {
        #expect(throws: ImportError.self) {
            _ = try FileImport.read(
                try ByteFile(
                    opening: Self.folder.appendingPathComponent(name + ".osm.pbf").path),
                format: .osm, options: ImportOptions(),
                spoolDirectory: NSTemporaryDirectory()
            ) { _ in }
        }
    }
}
