import Foundation
import JSONText
import TestSupport
import Testing
import TileRender

@testable import GeoService

@Suite("The basemap's style file")
struct BasemapStyleFileTests {
    private static let text = Result {
        try String(
            contentsOf: Golden.fixtures.deletingLastPathComponent()
                .appending(path: BasemapStyleFile.name), encoding: .utf8)
    }

    /// What is said of the carried file with one text in it replaced.
    private func fault(_ old: String, _ new: String) throws -> String {
        let text = try Self.text.get()
        let place = try #require(text.range(of: old), "the file has no \(old)")
        return try fault(in: text.replacingCharacters(in: place, with: new))
    }

    private func fault(in text: String) throws -> String {
        do throws(SettingError) {
            _ = try BasemapStyleFile(Array(text.utf8))
        } catch { return error.description }
        return ""
    }

    @Test("the carried file has a light and a dark style, light first")
    func carried() throws {
        let file = try BasemapStyleFile(Array(try Self.text.get().utf8))
        #expect(file.styles.map(\.name) == ["light", "dark"])
        #expect(file.index(of: nil) == 0)
        #expect(file.index(of: "dark") == 1)
        #expect(file.index(of: "neon") == nil)
        #expect(Set(file.hashes).count == 2)
    }

    @Test("every class of shapes and of names has a place in the file")
    func slots() throws {
        let text = try Self.text.get()
        for shapes in ShapeClass.allCases {
            #expect(
                text.contains("\"fill\": \"\(shapes)\"") || text.contains("\"line\": \"\(shapes)\"")
            )
        }
        for points in PointClass.allCases { #expect(text.contains("\"name\": \"\(points)\"")) }
    }

    @Test(
        "what is wrong is told with its line and member",
        arguments: [
            (
                ##""land": "#f6f3ec""##, ##""land": "#f6f3e""##,
                "line 4: colors.light.land must be a colour"
            ),
            (
                ##""land": "#2a3038""##, ##""ground": "#2a3038""##,
                "must have the colour land, as light has"
            ),
            (
                ##""land": "#2a3038""##, ##""land": "#2a3038", "more": "#000000""##,
                "colors.dark.more is a colour that light lacks"
            ),
            (#""dark": {"#, #""Dark": {"#, "lower-case"),
            (
                #""background": "sea""#, #""background": "halo""#,
                "line 41: background must name an opaque colour"
            ),
            (
                #""background": "sea""#, #""backdrop": "sea""#,
                "line 41: backdrop is no setting; there are colors"
            ),
            (
                #"{"fill": "land", "color": "land"}"#, #"{"fill": "land"}"#,
                "line 44: layers[0] must have the member color"
            ),
            (
                #"{"fill": "land", "color": "land"}"#, #"{"fill": "land", "color": "lnd"}"#,
                "layers[0].color must name one of the colours of light"
            ),
            (
                #"{"fill": "land""#, #"{"fill": "lend""#,
                "must be a class of areas: one of land, lake"
            ),
            (
                #"{"fill": "land""#, #"{"fill": "border""#,
                "must be a class of areas: border are lines"
            ),
            (#"{"fill": "land""#, #"{"area": "land""#, "must have the member fill, line or roads"),
            (
                #""from": 5}"#, #""from": 23}"#,
                "layers[1].from must be a zoom: a whole number from 0 to 22"
            ),
            (
                #""from": 5}"#, #""from": 5, "to": 4}"#,
                "layers[1].to must be a zoom: a whole number from 5 to 22"
            ),
            (
                #"[[4, 0.5], [8, 1]]"#, #"[[4, 0.5], [4, 1]]"#,
                "layers[13].width must have ascending zooms"
            ),
            (
                #"[[4, 0.5], [8, 1]]"#, #"[[4, 0.5], [8, 1, 2]]"#,
                "layers[13].width[1] must be a pair [zoom, pixels]"
            ),
            (
                #"[[4, 0.5], [8, 1]]"#, #"[[4, 0.5], [8, 100]]"#,
                "layers[13].width[1][1] must be a number of pixels from 0.1 to 48"
            ),
            (#"[[4, 0.5], [8, 1]]"#, #"[]"#, "layers[13].width must be a list of 1 to 256 pairs"),
            (#"[[4, 0.5], [8, 1]]"#, #""thin""#, "must be a number of pixels, or a list of pairs"),
            (#"[18, 22]],"#, #"[18, 47]],"#, "is wider than 48.0 pixels with its casing at zoom"),
            (
                #""growth": [[6, 1], [12, 1.25]]"#, #""growth": [[6, 1], [7, 2]]"#,
                "names.towns.growth must less than double"
            ),
            (#""newTo": 13"#, #""newTo": 20"#, "names.towns.newTo must be a zoom"),
            (
                #"[199, 12], [0, 11.5]]"#, #"[199, 12]]"#,
                "must have ranks that descend and end at 0"
            ),
            (#"{"name": "country""#, #"{"name": "capital""#, "is the second one of capital"),
            (#"{"name": "sea","#, #"{"name": "harbour","#, "must be a class of names: one of city"),
            (#""ring": true"#, #""ring": 1"#, ".dot.ring must be true or false"),
            (
                #""halo": {"color": "halo", "width": 1.4}"#, #""halo": 3"#,
                "names.halo must be an object"
            ),
            (
                ##""lakeshore": "#9cbdd2","##, ##""lakeshore": "#9cbdd2",,"##,
                "line 4: the JSON text"
            ),
            (
                #""background": "sea""#, #""background": "sea", "background": "land""#,
                "background of the JSON text stands more than once"
            ),
        ])
    func faults(old: String, new: String, says: String) throws {
        let found = try fault(old, new)
        #expect(found.hasPrefix("styles/basemap.json"))
        #expect(found.contains(says), "\(found)")
    }

    @Test("any text is read or refused with a line", arguments: 0..<100)
    func mutations(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(try Self.text.get().utf8)
        for _ in 0...Int.random(in: 0...2, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            default: bytes.removeSubrange(index..<min(bytes.count, index + 200))
            }
        }
        do throws(SettingError) {
            let file = try BasemapStyleFile(bytes)
            #expect(!file.styles.isEmpty)
        } catch {
            #expect(error.description.hasPrefix("styles/basemap.json"))
        }
    }

    @Test("a colour changes its own style's hash alone, white space none")
    func hashes() throws {
        let text = try Self.text.get()
        let first = try BasemapStyleFile(Array(text.utf8)).hashes
        let dark = text.replacingOccurrences(of: "#2a3038", with: "#2a3039")
        let second = try BasemapStyleFile(Array(dark.utf8)).hashes
        #expect(first[0] == second[0] && first[1] != second[1])
        let loose = text.replacingOccurrences(of: ",", with: " ,\n")
        #expect(try BasemapStyleFile(Array(loose.utf8)).hashes == first)
        let wider = text.replacingOccurrences(of: "[8, 1.5]", with: "[8, 1.6]")
        let third = try BasemapStyleFile(Array(wider.utf8)).hashes
        #expect(first[0] != third[0] && first[1] != third[1])
    }
}
