import Foundation
import Testing

@testable import GeoImport

/// The corner cases of RFC 7946 that lie beside the checkout, where they do.
@Suite("GeoJSON of the corpus")
struct SharedGeoJSONTests {
    /// The files of a folder, with their formats.
    private static func files(_ folder: String) -> [String] {
        guard let realData else { return [] }
        let path = realData.appendingPathComponent("geojson/" + folder).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .sorted().map { "\(folder)/\($0)" }
    }

    private func reading(of name: String, cuts: Cuts = .whole) throws -> Reading {
        let folder = try #require(realData)
        let bytes = Array(try Data(contentsOf: folder.appendingPathComponent("geojson/" + name)))
        return read(bytes, as: try #require(ImportFormat(fileName: name)), cuts: cuts)
    }

    @Test("what is valid is taken", arguments: files("valid"))
    func valid(name: String) throws {
        let reading = try reading(of: name)
        #expect(reading.error == nil && reading.reasons == [])
        #expect(reading.rows.isEmpty == (name == "valid/rfc-empty-collection.geojson"))
        if name.hasSuffix("l") || name.hasSuffix("s") { #expect(reading.rows.count == 50) }
        #expect(try self.reading(of: name, cuts: .every(7)) == reading)
    }

    @Test("what is invalid is refused, with a place and a reason", arguments: files("invalid"))
    func invalid(name: String) throws {
        let reading = try reading(of: name)
        switch reading.error {
        case .empty:
            #expect(["invalid/empty-file.geojson"].contains(name))
        case .structure(let offset, let reason): #expect(offset >= 0 && !reason.isEmpty)
        case .truncated(let offset): #expect(offset > 0)
        case .some(let error): Issue.record("\(error)")
        case nil:
            // Of many features the others may be right.
            #expect(!reading.rejections.isEmpty)
            #expect(reading.rejections.allSatisfy { $0.line > 0 && !"\($0.reason)".isEmpty })
        }
        #expect(try self.reading(of: name, cuts: .every(5)) == reading)
    }

    /// What was decided for texts of which RFC 7946 leaves it open: how many rows there are, or why
    /// there is none.
    private static let decisions: [String: String] = [
        // Deeper than any geometry that means something: the limit is 128.
        "deep-nesting": "the JSON text nests deeper than 128 levels",
        // The last of two members counts, as in JavaScript; a Feature has a geometry.
        "hint-bad-duplicate-properties": "the feature has no member",
        "hint-bad-polygon-interiorring-rhr": "1",
        "hint-excessive_precision_truncated": "1",
        // Foreign members, whatever their names, are passed over.
        "hint-feature_changed_semantics": "1",
        "hint-featurecollection_changed_semantics": "3",
        "hint-geometry_changed_semantics": "1",
        "hint-geometrycollection_nested": "1",
        "hint-geometrycollection_single": "1",
        "hint-point-toomany": "1",
        "hint-polygon_winding_order": "1",
        // RFC 7946 has no other systems than WGS 84; what states one is to be read in it.
        "legacy-crs-3857": "the file's crs member says that its coordinates are in",
        // It is no text, so that no field could hold it.
        "lone-surrogate": "a lone surrogate",
        "out-of-range-lonlat": "coordinates: longitude 200.0",
        "self-intersecting-bowtie": "1",
    ]

    @Test("what is open has its decision", arguments: files("lint"))
    func lint(name: String) throws {
        let reading = try reading(of: name)
        let key = String(name.dropFirst("lint/".count).dropLast(".geojson".count))
        let decision = try #require(SharedGeoJSONTests.decisions[key])
        let outcome =
            reading.error.map(\.description) ?? reading.reasons.first?.description
            ?? String(reading.rows.count)
        #expect(outcome.contains(decision) && !outcome.isEmpty)
        #expect(reading.rows.isEmpty || reading.rejections.isEmpty)
        #expect(try self.reading(of: name, cuts: .every(64)) == reading)
    }
}
