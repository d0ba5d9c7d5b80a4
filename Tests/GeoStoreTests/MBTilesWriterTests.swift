import CSQLite
import TestSupport
import Testing

@testable import GeoStore

struct MBTilesWriterTests {
    /// The rows of a statement, columns joined by a bar; blobs as their bytes' text.
    private func rows(_ path: String, _ sql: String) throws -> [String] {
        var opened: OpaquePointer?
        defer { unsafe sqlite3_close(opened) }
        try #require(unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
        var statement: OpaquePointer?
        try #require(unsafe sqlite3_prepare_v2(opened, sql, -1, &statement, nil) == SQLITE_OK)
        defer { unsafe sqlite3_finalize(statement) }
        var rows: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            let columns = unsafe (0..<sqlite3_column_count(statement)).map { column in
                unsafe sqlite3_column_text(statement, column).map { unsafe String(cString: $0) }
                    ?? ""
            }
            rows.append(columns.joined(separator: "|"))
        }
        return rows
    }

    @Test("a reader finds tiles by rows from the south, equal contents once, and the facts")
    func file() throws {
        let folder = try ScratchDirectory()
        let path = folder.path + "/a.mbtiles"
        // Until the writer has gone nobody else can read the file.
        do {
            let writer = try MBTilesWriter(path: path)
            try writer.addFact("name", "Towns")
            try writer.addImage(1, Array("sea".utf8))
            try writer.addImage(4, Array("land".utf8))
            try writer.addTile(zoom: 0, x: 0, y: 0, image: 4)
            try writer.addTile(zoom: 2, x: 3, y: 0, image: 1)
            try writer.addTile(zoom: 2, x: 3, y: 1, image: 1)
            try writer.finish()
        }
        #expect(
            try rows(path, "SELECT * FROM tiles ORDER BY 1, 2, 3") == [
                "0|0|0|land", "2|3|2|sea", "2|3|3|sea",
            ])
        #expect(try rows(path, "SELECT * FROM metadata") == ["name|Towns"])
        #expect(try rows(path, "SELECT count(*) FROM images") == ["2"])
        #expect(try rows(path, "PRAGMA journal_mode") == ["delete"])
        #expect(try rows(path, "PRAGMA application_id") == ["\(0x4d50_4258)"])
        #expect(try rows(path, "PRAGMA integrity_check") == ["ok"])
    }

    @Test("a file that is there is not touched")
    func existing() throws {
        let folder = try ScratchDirectory()
        let path = folder.path + "/a.mbtiles"
        _ = try MBTilesWriter(path: path)
        #expect(throws: StoreError.self) { try MBTilesWriter(path: path) }
        #expect(throws: StoreError.self) { try MBTilesWriter(path: folder.path + "/none/a") }
    }

    @Test("a tile that is there twice is an error")
    func twice() throws {
        let folder = try ScratchDirectory()
        let writer = try MBTilesWriter(path: folder.path + "/a.mbtiles")
        try writer.addImage(1, [7])
        try writer.addTile(zoom: 1, x: 0, y: 0, image: 1)
        #expect(throws: StoreError.self) {
            try writer.addTile(zoom: 1, x: 0, y: 0, image: 1)
        }
    }
}
