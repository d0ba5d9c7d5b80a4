import GeoIndex
import GeoStore

/// How far an export of objects is.
package struct ObjectExportProgress: Sendable {
    /// How many objects were looked at.
    package let visited: Int
    /// About how many there are.
    package let total: Int
}

/// What an export of objects has made.
package struct ObjectExportResult: Sendable {
    /// The objects in the file.
    package let objects: Int
    /// Its length.
    package let bytes: Int
}

extension OfflineService {
    /// Writes the objects of a layer, as everybody sees them.
    ///
    /// - Parameters:
    ///   - path: Its file, which has its name only when it is whole; nil is for `take` alone.
    ///   - replaces: Whether a file of that name is replaced.
    ///   - take: Given the bytes when there is no path.
    /// - Throws: ``ArchiveError``, ``SettingError``, ``StoreError``; what `take` throws.
    package func export(
        _ order: ObjectExportOrder, to path: String?, replaces: Bool,
        progress: (ObjectExportProgress) -> Void, take: ([UInt8]) throws -> Void
    ) throws -> ObjectExportResult {
        let catalog = try load(order.layer)
        guard let layer = catalog.layer(named: order.layer) else {
            throw SettingError("--layer", "names no layer: \(order.layer) is not there")
        }
        do {
            let query = try ObjectExportOrder.query(
                order.items, of: order.layer, .anonymous, now: Timestamp.now())
            let export = try ObjectExport(
                order.format, query, of: layer, objects: objects(catalog))
            let file = try path.map { try WholeFile($0, replaces: replaces) }
            var bytes = 0
            while let piece = try export.next() {
                bytes += piece.count
                try file?.append(piece)
                if file == nil { try take(piece) }
                progress(ObjectExportProgress(visited: export.visited, total: export.total))
            }
            try file?.finish()
            return ObjectExportResult(objects: export.written, bytes: bytes)
        } catch let problem as Problem {
            throw SettingError(option: problem)
        }
    }
}

extension RemoteService {
    /// Fetches the objects of a layer from a server. Parameters as for
    /// ``OfflineService/export(_:to:replaces:progress:take:)``.
    ///
    /// - Returns: The length of the file.
    package func export(
        _ order: ObjectExportOrder, to path: String?, replaces: Bool,
        progress: @escaping (DownloadProgress) -> Void,
        take: @escaping ([UInt8]) throws -> Void
    ) throws -> Int {
        let file = try path.map { try WholeFile($0, replaces: replaces) }
        var total = 0
        let target = "/export/\(PercentCoding.encodedQuery(order.layer))"
        try download(target, order.items) { bytes, whole in
            try file?.append(bytes)
            if file == nil { try take(bytes) }
            total += bytes.count
            progress(DownloadProgress(bytes: total, wholeBytes: whole))
        }
        try file?.finish()
        return total
    }
}

/// A file that gets its name when it is whole and durable; before, it has a temporary one beside it,
/// under which it goes when it is not finished.
final class WholeFile {
    private let path: String
    private let work: ArchiveNames
    private let file: ArchiveFile
    private var isWhole = false

    /// - Throws: ``ArchiveError``.
    init(_ path: String, replaces: Bool) throws(ArchiveError) {
        guard replaces || !ArchivePath.exists(path) else { throw .targetExists }
        self.path = path
        work = ArchiveNames(path)
        file = try ArchiveFile(path: work.part, startBytes: 0, isShared: true)
        // What a killed export has left.
        try file.cut(at: 0)
    }

    deinit { if !isWhole { work.remove() } }

    func append(_ bytes: [UInt8]) throws(ArchiveError) { try file.append(bytes) }

    func finish() throws(ArchiveError) {
        try file.sync()
        try ArchivePath.rename(work.part, to: path)
        isWhole = true
    }
}
