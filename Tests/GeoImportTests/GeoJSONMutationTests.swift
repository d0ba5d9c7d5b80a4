import Foundation
import Testing

@testable import GeoImport

/// Damaged GeoJSON: nothing traps, and where a text is cut into pieces makes no difference.
///
///     GEOSERVICE_FUZZ_SECONDS=300 swift test --filter GeoJSONMutation
///
/// goes on so long with seeds of its own, which a failure names.
@Suite("Mutated GeoJSON")
struct GeoJSONMutationTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["GEOSERVICE_FUZZ_SECONDS"].flatMap(Double.init) ?? 0

    /// What is damaged: texts of this project, and the small ones of the corpus where it is.
    private static let texts: [[UInt8]] = {
        var texts = [
            "{\"type\":\"FeatureCollection\",\"bbox\":[1,2,3,4],\"features\":[{\"type\":\"Feature\",\"id\":"
                + "\"a\\u00e9\\\"\",\"geometry\":{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":"
                + "\"Point\",\"coordinates\":[190,2,3]}]},\"properties\":{\"a\":[{},[],null,1e3]}}],\"x\":{}}",
            "\u{1e}{\"type\":\"Point\",\"coordinates\":[1,2]}\n\u{1e}{\"type\":\"LineString\","
                + "\"coordinates\":[[1,95],[2,3]]}\n",
        ].map { Array($0.utf8) }
        for name in ["places.geojson", "places.geojsonl"] {
            if let bytes = try? fixture(name) { texts.append(bytes) }
        }
        guard let folder = realData?.appendingPathComponent("geojson"),
            let names = FileManager.default.enumerator(atPath: folder.path)
        else { return texts }
        for case let name as String in names {
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)),
                data.count < 8_192
            else { continue }
            texts.append(Array(data))
        }
        return texts
    }()

    private static func mutated(_ random: inout SeededRandom) -> [UInt8] {
        var bytes = texts[Int.random(in: 0..<texts.count, using: &random)]
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes.removeLast(bytes.count - place)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4:
                bytes[place] =
                    Array("{}[]\",:\\\n\u{1e}-0eE.".utf8).randomElement(using: &random) ?? 0
            case 5:
                let bomb = ["[", "{\"a\":", "{\"type\":\"GeometryCollection\",\"geometries\":["]
                let text = bomb.randomElement(using: &random) ?? "["
                let count = Int.random(in: 1...400, using: &random)
                bytes.insert(
                    contentsOf: Array(String(repeating: text, count: count).utf8), at: place)
            case 6:
                let numbers = [
                    "1e999", "-0", "1e-400", "9007199254740993", "18446744073709551616", "360.1",
                ]
                bytes.insert(
                    contentsOf: Array((numbers.randomElement(using: &random) ?? "0").utf8),
                    at: place)
            default:
                let other = texts[Int.random(in: 0..<texts.count, using: &random)]
                bytes.insert(contentsOf: other.prefix(2_000), at: place)
            }
        }
        return bytes
    }

    private func check(_ seed: Int) {
        var random = SeededRandom(seed: seed)
        let bytes = GeoJSONMutationTests.mutated(&random)
        for format in [ImportFormat.geojson, .geojsonl] {
            let whole = read(bytes, as: format)
            #expect(read(bytes, as: format, cuts: .random(seed: seed)) == whole, "seed \(seed)")
            // Every row and every rejection stands on bytes of its own.
            #expect(whole.rows.count + whole.rejections.count <= bytes.count, "seed \(seed)")
            for row in whole.rows { #expect(row.id.map { FileID.isPlain($0) } ?? true) }
        }
    }

    @Test("whatever is done to a text", arguments: 0..<8)
    func quick(part: Int) {
        for seed in (part * 25)..<(part * 25 + 25) { check(seed) }
    }

    @Test("for as long as is asked for", .enabled(if: GeoJSONMutationTests.seconds > 0))
    func long() {
        let end = Date().addingTimeInterval(GeoJSONMutationTests.seconds)
        var seed = Int.random(in: 1_000_000..<1_000_000_000)
        var count = 0
        while Date() < end {
            check(seed)
            seed += 1
            count += 1
        }
        print("\(count) texts, up to the seed \(seed)")
    }
}
