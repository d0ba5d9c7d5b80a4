import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

/// Damaged files of every format, from seeds. `GEOSERVICE_FUZZ_SECONDS=300` goes on with new seeds
/// for so long; a seed that fails is in the test's name or message and replays alone.
@Suite("Damaged files")
struct MutationTests {
    /// A small file of each kind that a reader has to tell apart.
    static let corpus: [(format: ImportFormat, text: String)] = [
        (
            .csv,
            "id,lon,lat,name,n\na,1.5,2.5,\"x \"\"y\"\"\",3\nb,-1,2,\"two\nlines\",4.5e3\nc,0,0,é,\n"
        ),
        (.csv, "Nom;Längengrad;Breitengrad\r\nA;7,5;49,25\r\nB;-7,25;-49\r\n"),
        (.csv, "name|lat|lon\nx|49°12'36\"N|7°30'E\ny|N 1 2 3|W 1:2:3.5\n"),
        (.csv, "a\tgeom\nx\tPOINT (1 2)\ny\t\"POLYGON((0 0,1 0,1 1,0 0))\"\n"),
        (
            .csv,
            "g\nGEOMETRYCOLLECTION(POINT Z (1 2 3),LINESTRING(0 0,1 1))\nSRID=4326;POINT(1 2)\n"
        ),
        (.csv, "SCN\tSaar\t49.5\t7.25\nCSO\tCoch\t51.75\t11.5\n"),
        (.gpx, GPXSourceTests.text),
        (
            .gpx,
            "<?xml version='1.0' encoding='ISO-8859-1'?><gpx><trk><trkseg><trkpt lat='1' lon='2'>"
                + "<ele>3</ele></trkpt></trkseg></trk></gpx>"
        ),
        (
            .geojson,
            "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"id\":1,"
                + "\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},\"properties\":{\"a\":\"b\"}}]}"
        ),
        (
            .geojsonl,
            "{\"type\":\"Point\",\"coordinates\":[1,2]}\n{\"type\":\"Feature\",\"geometry\":null,"
                + "\"properties\":{}}\n"
        ),
    ]

    /// Pieces that readers stumble over.
    static let hostile: [[UInt8]] =
        [
            "\"", "\"\"", "\r", "\n", "\0", ",", ";", "\t", "|", "°", "'", "POINT(", "EMPTY",
            "((((((((",
            "GEOMETRYCOLLECTION(", "SRID=99999999999999999999;", "1e999", "-", "nan",
            "9".repeated(400),
            "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<a>", "</gpx>", "<![CDATA[", "]]>", "<!--",
            "{", "[",
            "lon,lat,lon,lat", "__proto__", "objectId", "ACL", "\u{202e}", "\u{feff}", "é", "🗼",
            "a".repeated(3000),
        ].map { Array($0.utf8) } + [
            [0xff, 0xfe], [0xfe, 0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8],
        ]

    static func mutated(_ seed: Int) -> (
        format: ImportFormat, bytes: [UInt8], options: ImportOptions
    ) {
        var random = SeededRandom(seed: seed)
        let sample = corpus[Int.random(in: 0..<corpus.count, using: &random)]
        var bytes = Array(sample.text.utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeLast(bytes.count - place)
            case 1 where place < bytes.count:
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2:
                let piece = hostile[Int.random(in: 0..<hostile.count, using: &random)]
                bytes.insert(contentsOf: piece, at: place)
            case 3: bytes.insert(contentsOf: bytes[..<place], at: place)
            case 4 where place < bytes.count:
                bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 20)))
            default:
                bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
        if random.next() % 8 == 0 {
            bytes = [0xff, 0xfe] + bytes.flatMap { [$0, 0] }
        }
        var options = ImportOptions()
        if random.next() % 6 == 0 { options.crs = CRSCode("EPSG:25832") }
        if random.next() % 6 == 0 { options.hasHeader = random.next() % 2 == 0 }
        if random.next() % 6 == 0 { options.idColumn = "1" }
        if random.next() % 6 == 0 { options.encoding = .windows1252 }
        options.limits.recordBytes = random.next() % 2 == 0 ? 40 : 1 << 20
        return (sample.format, bytes, options)
    }

    /// Reads damaged bytes whole and in pieces; what comes out must be the same and on the globe.
    static func check(_ seed: Int) {
        let (format, bytes, options) = mutated(seed)
        let whole = read(bytes, as: format, options: options)
        for row in whole.rows {
            #expect(format != .csv || row.position != nil, "seed \(seed)")
            if let place = row.position {
                #expect(
                    (-180...180).contains(place.lon) && (-90...90).contains(place.lat),
                    "seed \(seed)")
            }
            for name in row.fields.keys {
                #expect(
                    name == "sourceId" || name == "geometry" || !FieldNames.reserved.contains(name),
                    "seed \(seed)")
            }
        }
        let cut = read(bytes, as: format, cuts: .random(seed: seed), options: options)
        // An encoding that grows text moves the limit of a record; only pieces of one size agree.
        #expect(cut.rows == whole.rows && cut.rejections == whole.rejections, "seed \(seed)")
        #expect((cut.error == nil) == (whole.error == nil), "seed \(seed)")
    }

    @Test("damage never traps, and cuts never matter", arguments: 0..<300)
    func damage(seed: Int) { Self.check(seed) }

    @Test(
        "as long as is asked for",
        .enabled(if: ProcessInfo.processInfo.environment["GEOSERVICE_FUZZ_SECONDS"] != nil))
    func long() throws {
        let text = try #require(ProcessInfo.processInfo.environment["GEOSERVICE_FUZZ_SECONDS"])
        let seconds = try #require(Int(text))
        let end = ContinuousClock.now + .seconds(seconds)
        var seed = 1_000
        while ContinuousClock.now < end {
            Self.check(seed)
            seed += 1
        }
        print("\(seed - 1_000) damaged files were read")
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
