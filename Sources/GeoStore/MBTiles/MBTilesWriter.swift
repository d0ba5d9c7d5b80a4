import Glibc

/// Writes an MBTiles archive, version 1.3: a SQLite file of tiles.
///
/// Contents stand in `images`, each once; `map` says which tile has which; `tiles` is a view of
/// both, as readers expect it. Rows count from the south there (TMS): the flip is made here. All of
/// it is one transaction without a log, since a file that was not finished is thrown away: the
/// caller gives it its name when all is in it. Source: github.com/mapbox/mbtiles-spec, 1.3.
package final class MBTilesWriter {
    private let connection: SQLiteConnection
    private let image: SQLiteStatement
    private let place: SQLiteStatement
    private let fact: SQLiteStatement

    /// `MPBX`: how `file` and others tell such files from other databases.
    private static let applicationID = 0x4d50_4258

    /// Begins a file.
    ///
    /// - Parameter path: Where there is none yet.
    /// - Throws: ``StoreError/inputOutput(code:)`` with the system's error number when it cannot be
    ///   made; ``StoreError``.
    package init(path: String) throws(StoreError) {
        let made = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard made >= 0 else { throw errno == ENOSPC ? .diskFull : .inputOutput(code: errno) }
        close(made)
        connection = try SQLiteConnection(path: path, mode: .readWrite)
        try connection.execute(
            """
            PRAGMA page_size = 4096;
            PRAGMA application_id = \(MBTilesWriter.applicationID);
            PRAGMA journal_mode = MEMORY;
            PRAGMA synchronous = OFF;
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA trusted_schema = OFF;
            BEGIN;
            CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
            CREATE TABLE images (tile_id INTEGER PRIMARY KEY, tile_data BLOB NOT NULL);
            CREATE TABLE map (
                zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER,
                tile_id INTEGER NOT NULL,
                PRIMARY KEY (zoom_level, tile_column, tile_row)) WITHOUT ROWID;
            CREATE VIEW tiles AS
                SELECT zoom_level, tile_column, tile_row, tile_data
                FROM map JOIN images USING (tile_id);
            """)
        image = try SQLiteStatement(connection, "INSERT INTO images VALUES (?, ?)")
        place = try SQLiteStatement(connection, "INSERT INTO map VALUES (?, ?, ?, ?)")
        fact = try SQLiteStatement(connection, "INSERT INTO metadata VALUES (?, ?)")
    }

    /// Adds a line of the table `metadata`.
    ///
    /// - Throws: ``StoreError``, also for a name that was there before.
    package func addFact(_ name: String, _ value: String) throws(StoreError) {
        fact.bind(name, at: 1)
        fact.bind(value, at: 2)
        try fact.run()
    }

    /// Adds a content under a number of its own.
    package func addImage(_ number: Int64, _ content: [UInt8]) throws(StoreError) {
        image.bind(number, at: 1)
        image.bind(content, at: 2)
        try image.run()
    }

    /// Says which content a tile has.
    ///
    /// - Parameter y: The row, from the north.
    /// - Precondition: the row is below 2^zoom.
    package func addTile(
        zoom: UInt8, x: UInt32, y: UInt32, image number: Int64
    ) throws(StoreError) {
        place.bind(Int64(zoom), at: 1)
        place.bind(Int64(x), at: 2)
        place.bind((1 << Int64(zoom)) - 1 - Int64(y), at: 3)
        place.bind(number, at: 4)
        try place.run()
    }

    /// Writes all of it to the file. To be called last.
    ///
    /// - Throws: ``StoreError``.
    package func finish() throws(StoreError) {
        try connection.execute("COMMIT")
    }
}
