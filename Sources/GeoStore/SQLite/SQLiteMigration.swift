/// The tables of the SQLite store, and the steps from each version of them to the next.
///
/// `objects` is one table in the order of arrival with one unique index by class and id: inserts
/// append to the table whatever their ids are, and only the narrow index minds their order. The
/// columns that the map's index needs stand before the body, so that a rebuild never reads it.
enum SQLiteMigration {
    /// "GeoS" in the file's header tells this program's databases from others.
    static let applicationID: Int64 = 0x4765_6F53

    /// What leads from version n to n + 1; a step that was released never changes.
    private struct Step: Sendable {
        let statements: String
        /// Fills columns that are derived from bodies, once the statements are done.
        var derive: (@Sendable (SQLiteConnection) throws(StoreError) -> Void)?
    }

    private static let steps = [
        Step(
            statements: """
                CREATE TABLE classes (
                    number INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE
                ) STRICT;
                CREATE TABLE fields (
                    class INTEGER NOT NULL REFERENCES classes (number),
                    name TEXT NOT NULL,
                    type TEXT NOT NULL,
                    PRIMARY KEY (class, name)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE objects (
                    place INTEGER PRIMARY KEY,
                    class INTEGER NOT NULL REFERENCES classes (number),
                    id TEXT NOT NULL,
                    created INTEGER NOT NULL,  -- milliseconds since 1970
                    updated INTEGER NOT NULL,
                    lon REAL,                  -- degrees; null without a place
                    lat REAL,
                    kind TEXT,
                    weight REAL NOT NULL,
                    expires INTEGER,
                    public INTEGER NOT NULL,   -- 1 when everybody may read
                    content INTEGER NOT NULL,  -- ContentHash
                    acl BLOB,                  -- JSON; null is open to all
                    body BLOB NOT NULL         -- JSON
                ) STRICT;
                CREATE UNIQUE INDEX objects_by_id ON objects (class, id);
                """),
        // Made anew, so that the new columns stand before the body.
        Step(
            statements: """
                DROP INDEX objects_by_id;
                ALTER TABLE objects RENAME TO former_objects;
                CREATE TABLE objects (
                    place INTEGER PRIMARY KEY,
                    class INTEGER NOT NULL REFERENCES classes (number),
                    id TEXT NOT NULL,
                    created INTEGER NOT NULL,  -- milliseconds since 1970
                    updated INTEGER NOT NULL,
                    lon REAL,                  -- exact degrees; null without a place
                    lat REAL,
                    accuracy REAL,             -- metres; null where the place is shown as it is
                    kind TEXT,
                    weight REAL NOT NULL,
                    expires INTEGER,
                    owner TEXT,                -- the id of a user
                    public INTEGER NOT NULL,   -- 1 when everybody may read
                    content INTEGER NOT NULL,  -- ContentHash of what everybody sees
                    acl BLOB,                  -- JSON; null is open to all
                    body BLOB NOT NULL         -- JSON
                ) STRICT;
                INSERT INTO objects SELECT place, class, id, created, updated, lon, lat, NULL,
                    kind, weight, expires, NULL, public, content, acl, body FROM former_objects;
                DROP TABLE former_objects;
                CREATE UNIQUE INDEX objects_by_id ON objects (class, id);
                """,
            derive: SQLiteDerivation.fillOwnersAndAccuracy),
        // Classes that are there get a random position: another copy of this database, brought to
        // this version elsewhere, must not seem to be the same. A later step that changes what is
        // derived of objects must give random positions in the same way.
        Step(
            statements: """
                CREATE TABLE positions (
                    class INTEGER PRIMARY KEY REFERENCES classes (number),
                    epoch INTEGER NOT NULL,    -- a random number of the writing process
                    number INTEGER NOT NULL    -- of its commits
                ) STRICT;
                INSERT INTO positions SELECT number, random(), 0 FROM classes;
                """),
        // Who may read, users' own things, and schemas. The column `public` becomes the number of
        // a set of readers (1 is everybody, as before; 0 nobody), so that no row moves; what is
        // neither gets its number from the access list. Every key begins with a class or a scope,
        // so that the rows can be spread over servers; the sets of readers and the classes are
        // small and would stand on each of them.
        Step(
            statements: """
                ALTER TABLE objects RENAME COLUMN public TO readers;
                ALTER TABLE objects ADD COLUMN
                    public INTEGER GENERATED ALWAYS AS (readers = 1) VIRTUAL;
                CREATE TABLE reader_sets (
                    number INTEGER PRIMARY KEY,
                    hash INTEGER NOT NULL      -- of its principals; not unique
                ) STRICT;
                CREATE INDEX reader_sets_by_hash ON reader_sets (hash);
                CREATE TABLE reader_principals (
                    number INTEGER NOT NULL,   -- of a set
                    principal TEXT NOT NULL,   -- the id of a user, or "role:" and a name
                    PRIMARY KEY (number, principal)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX reader_principals_by_principal
                    ON reader_principals (principal, number);
                INSERT INTO reader_sets VALUES (0, 0), (1, 0);
                INSERT INTO reader_principals VALUES (1, '*');
                CREATE TABLE unique_keys (
                    scope TEXT NOT NULL,
                    value BLOB NOT NULL,
                    class INTEGER NOT NULL,    -- with id: the object that has it
                    id TEXT NOT NULL,
                    PRIMARY KEY (scope, value)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX unique_keys_by_object ON unique_keys (class, id);
                CREATE TABLE secrets (
                    class INTEGER NOT NULL,
                    id TEXT NOT NULL,
                    name TEXT NOT NULL,
                    slot INTEGER NOT NULL,
                    PRIMARY KEY (class, id, name)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE secret_slots (    -- see SQLiteSecretWriter
                    slot INTEGER PRIMARY KEY,
                    value BLOB NOT NULL
                ) STRICT;
                CREATE TABLE free_slots (
                    room INTEGER NOT NULL,     -- bytes of the value
                    slot INTEGER NOT NULL,
                    PRIMARY KEY (room, slot)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE relations (
                    class INTEGER NOT NULL,    -- with owner: the object that has the field
                    field TEXT NOT NULL,
                    owner TEXT NOT NULL,
                    member TEXT NOT NULL,      -- the id of an object of the field's class
                    PRIMARY KEY (class, field, owner, member)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX relations_by_member ON relations (class, field, member, owner);
                CREATE TABLE class_settings (
                    class INTEGER PRIMARY KEY,
                    body BLOB NOT NULL         -- JSON
                ) STRICT;
                -- A class that was deleted keeps its number, should it come again.
                ALTER TABLE classes ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
                -- 1 while values of the field are being taken from the objects.
                ALTER TABLE fields ADD COLUMN removing INTEGER NOT NULL DEFAULT 0;
                UPDATE positions SET epoch = random(), number = 0;
                """,
            derive: SQLiteDerivation.fillReaders),
        // What queries read: objects by their time, those whose places an index of the map does
        // not tell exactly, and indexes of fields.
        Step(
            statements: """
                CREATE INDEX objects_by_created ON objects (class, created, id);
                CREATE INDEX objects_placed_apart ON objects (class, readers)
                    WHERE lon IS NOT NULL
                        AND (readers <> 1 OR accuracy IS NOT NULL OR expires IS NOT NULL);
                CREATE TABLE value_indexes (
                    number INTEGER PRIMARY KEY,
                    class INTEGER NOT NULL,
                    field TEXT NOT NULL,
                    state INTEGER NOT NULL,    -- see ValueIndex
                    built_through TEXT NOT NULL,
                    UNIQUE (class, field)
                ) STRICT;
                CREATE TABLE value_keys (
                    number INTEGER NOT NULL,   -- of an index
                    key BLOB NOT NULL,         -- see ValueKey
                    created INTEGER NOT NULL,
                    id TEXT NOT NULL,
                    PRIMARY KEY (number, key, created, id)
                ) STRICT, WITHOUT ROWID;
                """),
        // What the counters that rules keep have come to; and which classes have had a place for
        // everybody, or have lost all their places: others are no layers to the public.
        Step(
            statements: """
                ALTER TABLE classes ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
                UPDATE classes SET shown = 1 WHERE number NOT IN
                    (SELECT class FROM objects WHERE lon IS NOT NULL)
                    OR number IN (SELECT class FROM objects WHERE lon IS NOT NULL AND readers = 1);
                CREATE TABLE rule_counts (
                    class INTEGER NOT NULL,    -- with id: the object that counts
                    field TEXT NOT NULL,
                    id TEXT NOT NULL,
                    amount INTEGER NOT NULL,
                    PRIMARY KEY (class, field, id)
                ) STRICT, WITHOUT ROWID;
                """),
    ]

    /// Brings an opened database to the present version, in one transaction for each step.
    ///
    /// - Throws: ``StoreError/notADatabase``, ``StoreError/foreignDatabase``,
    ///   ``StoreError/newerVersion(found:known:)``, or what the disk reports.
    static func migrate(_ connection: SQLiteConnection) throws(StoreError) {
        let owner = try connection.integer("PRAGMA application_id") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
        let isNew = owner == 0 && tables == 0 && version == 0
        guard isNew || owner == applicationID else { throw .foreignDatabase }
        guard (0...steps.count).contains(version) else {
            throw .newerVersion(found: version, known: steps.count)
        }
        try connection.execute("PRAGMA journal_mode = WAL")
        for step in version..<steps.count {
            do throws(StoreError) {
                try connection.execute("BEGIN IMMEDIATE")
                try connection.execute(steps[step].statements)
                try steps[step].derive?(connection)
                try connection.execute(
                    """
                    PRAGMA application_id = \(applicationID);
                    PRAGMA user_version = \(step + 1);
                    COMMIT;
                    """)
            } catch {
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                throw error
            }
        }
    }
}
