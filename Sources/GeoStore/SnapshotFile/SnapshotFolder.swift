import Glibc

/// The snapshots of layers' indexes beside a store: one file for each layer in `indexes/`.
///
/// What is in a file is chunks of bytes; what they mean is known above. Nothing here is needed: a
/// file that is missing, stale or damaged only makes the next start slower. Only the process that
/// holds the ``StoreDirectory`` uses the folder.
package struct SnapshotFolder: Sendable {
    private let directory: StoreDirectory
    private var path: String { directory.path + "/indexes" }

    /// Bytes that stay free on the disk after a snapshot was written.
    private static let reservedBytes = 64 << 20

    /// The folder of a data directory.
    package init(_ directory: StoreDirectory) {
        self.directory = directory
    }

    /// Begins a file that will take the place of the layer's former one.
    ///
    /// - Parameter expectedBytes: About how long it will be.
    /// - Throws: ``SnapshotFileError``: `noRoom`, `inputOutput`.
    package func create(
        _ label: SnapshotLabel, expectedBytes: Int
    ) throws(SnapshotFileError) -> SnapshotFileWriter {
        guard let name = SnapshotFolder.fileName(of: label.layer) else {
            throw .inputOutput(code: EINVAL)
        }
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw .inputOutput(code: errno) }
        try requireRoom(for: expectedBytes)
        return try SnapshotFileWriter(folder: path, name: name, label: label)
    }

    /// The layer's file, when it has just this label.
    ///
    /// - Throws: ``SnapshotFileError``.
    package func open(_ label: SnapshotLabel) throws(SnapshotFileError) -> SnapshotFileReader {
        guard let name = SnapshotFolder.fileName(of: label.layer) else { throw .missing }
        let file = try SnapshotFileReader(path: path + "/" + name)
        guard file.label == label else { throw .stale }
        return file
    }

    /// Whether there is a file of this label; its chunks are not proved.
    package func holds(_ label: SnapshotLabel) -> Bool {
        (try? open(label)) != nil
    }

    /// Takes away a layer's file, so that a new one is written.
    package func remove(layer: String) {
        if let name = SnapshotFolder.fileName(of: layer) { unsafe unlink(path + "/" + name) }
    }

    /// A snapshot is not worth a store that cannot write.
    private func requireRoom(for bytes: Int) throws(SnapshotFileError) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw .inputOutput(code: errno) }
        let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        let needed = UInt64(bytes) + UInt64(SnapshotFolder.reservedBytes)
        guard overflow || free >= needed else { throw .noRoom(neededBytes: bytes) }
    }

    /// Class names are made by clients: only those that are plain words of a bounded length come
    /// into a path.
    private static func fileName(of layer: String) -> String? {
        Naming.isIdentifier(layer) ? layer + ".index" : nil
    }
}
