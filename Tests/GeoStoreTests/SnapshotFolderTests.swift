import Glibc
import TestSupport
import Testing

@testable import GeoStore

/// Snapshots in files beside a store.
struct SnapshotFolderTests {
    private static let label = SnapshotLabel(
        layer: "Spot", position: CommitPosition(epoch: 5, number: 6), shape: 7)

    /// A data directory with the snapshot of a layer.
    private final class Fixture {
        let scratch: Scratch
        let folder: SnapshotFolder
        let chunks: [[UInt8]]
        var path: String { scratch.path + "/indexes/Spot.index" }

        init(_ sizes: [Int] = [100, 0, 3_000]) throws {
            scratch = try Scratch()
            folder = SnapshotFolder(try StoreDirectory(path: scratch.path))
            var random = SeededGenerator(seed: UInt64(sizes.count))
            chunks = sizes.map { size in
                (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            try save()
        }

        func save(_ label: SnapshotLabel = SnapshotFolderTests.label, bytes: Int = 0) throws {
            let writer = try folder.create(label, expectedBytes: bytes)
            for chunk in chunks { try writer.append(chunk.span) }
            try writer.finish()
        }

        /// Reads all chunks.
        @discardableResult
        func load(_ label: SnapshotLabel = SnapshotFolderTests.label) throws -> [[UInt8]] {
            let file = try folder.open(label)
            return try (0..<file.count).map { try file.chunk($0) }
        }

        func expectWhole() throws { #expect(try load() == chunks) }

        func bytes() throws -> [UInt8] {
            let descriptor = unsafe open(path, O_RDONLY)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            return Array(bytes.prefix(count))
        }

        func write(_ bytes: [UInt8]) throws {
            let descriptor = unsafe open(path, O_WRONLY | O_TRUNC)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            try #require(count == bytes.count)
        }
    }

    @Test(
        "what was written comes back; what takes its place too",
        arguments: [[], [0], [5], [100, 0, 3_000], [1 << 20, 1 << 20, 1]])
    func roundTrip(sizes: [Int]) throws {
        let fixture = try Fixture(sizes)
        try fixture.expectWhole()
        #expect(fixture.folder.holds(Self.label))
        try fixture.save()
        try fixture.expectWhole()
    }

    @Test("files can be read by their owner alone, and nothing else is left")
    func modes() throws {
        let fixture = try Fixture()
        var status = stat()
        #expect(unsafe stat(fixture.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(unsafe stat(fixture.scratch.path + "/indexes", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(unsafe access(fixture.path + ".tmp", F_OK) != 0)
    }

    @Test("another position, shape or layer is stale")
    func stale() throws {
        let fixture = try Fixture()
        for label in [
            SnapshotLabel(layer: "Spot", position: CommitPosition(epoch: 5, number: 7), shape: 7),
            SnapshotLabel(layer: "Spot", position: CommitPosition(epoch: 4, number: 6), shape: 7),
            SnapshotLabel(layer: "Spot", position: CommitPosition(epoch: 5, number: 6), shape: 8),
        ] {
            #expect(throws: SnapshotFileError.stale) { try fixture.load(label) }
            #expect(!fixture.folder.holds(label))
        }
        let other = SnapshotLabel(layer: "Other", position: Self.label.position, shape: 7)
        #expect(throws: SnapshotFileError.missing) { try fixture.load(other) }
        let moved = fixture.scratch.path + "/indexes/Other.index"
        #expect(unsafe link(fixture.path, moved) == 0)
        defer { unsafe unlink(moved) }
        #expect(throws: SnapshotFileError.stale) { try fixture.load(other) }
    }

    @Test("every flipped bit is found")
    func flippedBits() throws {
        let fixture = try Fixture([40, 0, 200])
        let bytes = try fixture.bytes()
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1 << (index % 8)
            try fixture.write(damaged)
            #expect(throws: SnapshotFileError.self, "byte \(index)") { try fixture.load() }
        }
        try fixture.write(bytes)
        try fixture.expectWhole()
    }

    @Test("every truncation and every longer file is found")
    func lengths() throws {
        let fixture = try Fixture([40, 0, 200])
        let bytes = try fixture.bytes()
        for length in bytes.indices {
            try fixture.write(Array(bytes.prefix(length)))
            #expect(throws: SnapshotFileError.self, "\(length) bytes") { try fixture.load() }
        }
        try fixture.write(bytes + [0])
        #expect(throws: SnapshotFileError.damaged(what: "its length")) { try fixture.load() }
    }

    @Test("what is no file is refused, and does not hold up")
    func noFile() throws {
        let fixture = try Fixture()
        unsafe unlink(fixture.path)
        #expect(throws: SnapshotFileError.missing) { try fixture.load() }
        #expect(unsafe mkfifo(fixture.path, 0o600) == 0)
        #expect(throws: SnapshotFileError.foreign) { try fixture.load() }
        unsafe unlink(fixture.path)
        #expect(unsafe symlink("/etc/hostname", fixture.path) == 0)
        #expect(throws: SnapshotFileError.inputOutput(code: ELOOP)) { try fixture.load() }
        try fixture.save()
        try fixture.expectWhole()
    }

    @Test("a name that is no class's comes into no path", arguments: ["../x", "", "a/b", "_User"])
    func names(name: String) throws {
        let fixture = try Fixture()
        let label = SnapshotLabel(layer: name, position: Self.label.position, shape: 7)
        #expect(throws: SnapshotFileError.missing) { try fixture.load(label) }
        #expect(throws: SnapshotFileError.inputOutput(code: EINVAL)) {
            try fixture.save(label)
        }
    }

    @Test("a file that cannot be written leaves the former one")
    func failedWrite() throws {
        let fixture = try Fixture()
        // A folder of the temporary file's name cannot be replaced.
        #expect(unsafe mkdir(fixture.path + ".tmp", 0o700) == 0)
        #expect(throws: SnapshotFileError.inputOutput(code: EEXIST)) { try fixture.save() }
        unsafe rmdir(fixture.path + ".tmp")
        try fixture.expectWhole()
        do {
            let writer = try fixture.folder.create(Self.label, expectedBytes: 3)
            let bytes: [UInt8] = [1, 2, 3]
            try writer.append(bytes.span)
            #expect(unsafe access(fixture.path + ".tmp", F_OK) == 0)
        }
        #expect(unsafe access(fixture.path + ".tmp", F_OK) != 0)
        try fixture.expectWhole()
    }

    @Test("a file that would take the room of the store is not begun")
    func noRoom() throws {
        let fixture = try Fixture()
        #expect(throws: SnapshotFileError.noRoom(neededBytes: 1 << 60)) {
            try fixture.save(bytes: 1 << 60)
        }
        try fixture.expectWhole()
    }
}
