import Testing

@testable import GeoImport

@Suite("Names and ids")
struct NamesTests {
    @Test(
        "columns become fields",
        arguments: [
            (["name", "Name", "a_b"], ["name", "Name", "a_b"]),
            (
                ["Élévation (m)", "objectId", "2nd name", "🗼"],
                ["l_vation_m", "objectId_", "f2nd_name", "column4"]
            ),
            (["a b", "a-b", "a  b"], ["a_b", "a_b_2", "a_b_3"]),
            (["_x_", "__", "a__b", "a_ b"], ["x", "column2", "a__b", "a__b_2"]),
            (
                ["createdAt", "updatedAt", "ACL", "location", "length", "id"],
                ["createdAt_", "updatedAt_", "ACL_", "location_", "length_", "id_"]
            ),
            (["a_2", "a", "a"], ["a_2", "a", "a_3"]),
        ])
    func fields(columns: [String], fields: [String]) {
        #expect(FieldNames.map(columns) == fields)
    }

    @Test("any names become different names that fields may have", arguments: 0..<64)
    func anyNames(seed: Int) {
        var random = SeededRandom(seed: seed)
        let letters = Array("aB1_ -é.")
        let columns = (0..<40).map { _ in
            String(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    letters[Int.random(in: 0..<letters.count, using: &random)]
                })
        }
        let fields = FieldNames.map(columns)
        #expect(Set(fields).count == columns.count)
        #expect(fields == FieldNames.map(columns))
        for field in fields {
            #expect(field.wholeMatch(of: /[A-Za-z][0-9A-Za-z_]*/) != nil, "\(field)")
            #expect(!FieldNames.reserved.contains(field))
        }
        #expect(FieldNames.field(for: String(repeating: "x", count: 999), number: 1).count == 120)
    }

    @Test(
        "plain ids are kept",
        arguments: ["1", "node-17", "_", String(repeating: "a", count: 64)])
    func plain(id: String) { #expect(FileID.objectID(for: id) == id) }

    @Test(
        "other ids are hashed, always to the same plain id",
        arguments: ["", "way/1", "é", "a b", String(repeating: "a", count: 65)])
    func hashed(id: String) {
        let objectID = FileID.objectID(for: id)
        #expect(objectID != id && FileID.isPlain(objectID) && objectID.count == 33)
    }

    @Test("the hash is FNV-1a of 128 bits, by the reference's own examples")
    func fnv() {
        #expect(FileID.fnv1a("".utf8) == 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
        #expect(FileID.fnv1a("a".utf8) == 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964)
        #expect(FileID.fnv1a("foobar".utf8) == 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18)
    }

    @Test("formats are known by name and media type")
    func formats() {
        #expect(ImportFormat(fileName: "a.b/Cities.CSV") == .csv)
        #expect(ImportFormat(fileName: "x.geojson") == .geojson)
        #expect(ImportFormat(fileName: "x.ndjson") == .geojsonl)
        #expect(ImportFormat(fileName: "x.pdf") == nil && ImportFormat(fileName: "") == nil)
        #expect(ImportFormat(mediaType: "text/csv; charset=utf-8") == .csv)
        #expect(ImportFormat(mediaType: "application/geo+json-seq") == .geojsonl)
        #expect(ImportFormat(mediaType: "image/png") == nil)
    }
}
