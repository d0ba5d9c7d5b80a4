/// Limits and sizes of a store.
package struct StoreOptions: Sendable {
    /// How many reads run at a time.
    package var readers = 4
    /// The most memory that each reader keeps pages in. Reads by random ids take twice as long
    /// when the index of ids (about 40 bytes an object) does not fit.
    package var readerCacheBytes = 64 << 20
    /// How much of the database file readers map into memory, so that a page costs no call of the
    /// system and no search among kept pages; 0 is nothing. SQLite maps at most 2 GiB and reads what
    /// lies beyond into the memory above. A mapped page that the disk cannot give ends the process.
    package var readerMappedBytes = 2 << 30
    /// How long a read waits for a free reader before it fails with ``StoreError/busy``.
    package var readerWaitMilliseconds = 5000
    /// The most jobs that wait for the writer.
    package var maximumQueuedJobs = 4096
    /// The most bytes, as declared by their submitters, that wait for the writer.
    package var maximumQueuedBytes = 64 << 20
    /// The most jobs that share one commit.
    package var maximumGroupJobs = 512
    /// A group ends after the job that brought its written bytes to this.
    package var maximumGroupBytes = 16 << 20
    /// The largest document, as stored.
    package var maximumDocumentBytes = 20 << 20
    /// The most classes.
    package var maximumClasses = 10_000
    /// The most fields of one class.
    package var maximumFieldsPerClass = 1000
    /// Beyond this size the write-ahead log is cut as soon as no long read prevents it.
    package var maximumLogBytes = 64 << 20
    /// The largest database file; nil is what the disk holds.
    package var maximumDatabaseBytes: Int?

    /// The defaults.
    package init() {}
}
