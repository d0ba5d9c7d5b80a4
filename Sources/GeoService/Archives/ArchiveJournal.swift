import GeoIndex
import Glibc
import TileRender

/// Beside an unfinished archive: what is in it, so that an export that was killed goes on where it
/// was.
///
/// A file of records, each with its length in front and a hash behind. The first says what the tiles
/// are drawn from; each other one, how many tiles were visited, the hash of what is in the archive's
/// file, which a power cut may have lost, and the runs since the last. The last
/// run of a record may have grown in the next, which then has it again. A record that is not whole
/// ends the file.
struct ArchiveJournal {
    /// What was done until a record was written.
    struct Progress {
        /// How many of the planned tiles were visited.
        var visited = 0
        /// The hash of all contents, one after the other.
        var hash: UInt64 = 0
        /// The runs, ascending.
        var entries: [PMTilesEntry] = []
    }

    private let file: ArchiveFile
    /// How many runs are in the file and will not change.
    private var settled = 0

    /// Begins a journal.
    ///
    /// - Parameter fingerprint: The hash of all that the tiles depend on.
    /// - Throws: ``ArchiveError``.
    init(path: String, fingerprint: UInt64) throws(ArchiveError) {
        file = try ArchiveFile(path: path, startBytes: 0, isShared: true)
        try file.cut(at: 0)
        try write([fingerprint, ArchiveJournal.version])
    }

    /// Goes on with a journal.
    ///
    /// - Returns: The journal and what it says; nil when it says nothing of these tiles.
    static func restore(
        path: String, fingerprint: UInt64
    ) throws(ArchiveError) -> (ArchiveJournal, Progress)? {
        let file = try ArchiveFile(path: path, startBytes: 0, isShared: true)
        var place = 0
        var progress = Progress()
        guard let first = try record(in: file, &place), first == [fingerprint, version] else {
            return nil
        }
        while let words = try record(in: file, &place), words.count >= 3 {
            let kept = Int(truncatingIfNeeded: words[1])
            guard (0...progress.entries.count).contains(kept), words.count.isMultiple(of: 3) else {
                break
            }
            progress.visited = Int(truncatingIfNeeded: words[0])
            progress.hash = words[2]
            progress.entries.removeLast(progress.entries.count - kept)
            for index in stride(from: 3, to: words.count, by: 3) {
                progress.entries.append(
                    PMTilesEntry(
                        tile: words[index], offset: words[index + 1],
                        length: UInt32(truncatingIfNeeded: words[index + 2]),
                        run: UInt32(truncatingIfNeeded: words[index + 2] >> 32)))
            }
        }
        try file.cut(at: place)
        return (ArchiveJournal(file: file, settled: max(0, progress.entries.count - 1)), progress)
    }

    private init(file: ArchiveFile, settled: Int) {
        self.file = file
        self.settled = settled
    }

    private static let version: UInt64 = 1

    /// Notes what was done. What the runs tell of must have been flushed.
    mutating func note(
        visited: Int, hash: UInt64, _ entries: [PMTilesEntry]
    ) throws(ArchiveError) {
        var words = [UInt64(visited), UInt64(settled), hash]
        words.reserveCapacity(3 + 3 * (entries.count - settled))
        for entry in entries[settled...] {
            words += [entry.tile, entry.offset, UInt64(entry.run) << 32 | UInt64(entry.length)]
        }
        try write(words)
        settled = max(0, entries.count - 1)
    }

    private func write(_ words: [UInt64]) throws(ArchiveError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * (words.count + 2))
        for word in [UInt64(words.count)] + words + [ArchiveJournal.hash(words)] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        try file.append(bytes)
        try file.flush()
    }

    private static func record(
        in file: ArchiveFile, _ place: inout Int
    ) throws(ArchiveError) -> [UInt64]? {
        guard let count = try words(in: file, at: place, count: 1)?.first,
            // More than any export writes at once.
            count <= 1 << 28,
            let words = try words(in: file, at: place + 8, count: Int(count) + 1),
            let hash = words.last, ArchiveJournal.hash(words.dropLast()) == hash
        else { return nil }
        place += 8 * words.count + 8
        return words.dropLast()
    }

    private static func words(
        in file: ArchiveFile, at place: Int, count: Int
    ) throws(ArchiveError) -> [UInt64]? {
        let bytes = try file.read(at: place, count: 8 * count)
        guard bytes.count == 8 * count else { return nil }
        return (0..<count).map { word in
            (0..<8).reduce(0) { $0 | UInt64(bytes[8 * word + $1]) << UInt64(8 * $1) }
        }
    }

    private static func hash(_ words: some Sequence<UInt64>) -> UInt64 {
        var hash = StableHash()
        for word in words { hash.combine(word) }
        return hash.value
    }
}
