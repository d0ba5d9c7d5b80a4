import Glibc

/// How much of an archive came from a server.
package struct DownloadProgress: Sendable {
    /// The bytes that came.
    package let bytes: Int
    /// All there are, when the server says it.
    package let wholeBytes: Int?
}

extension RemoteService {
    /// Has a server make an archive, and fetches it.
    ///
    /// - Throws: ``ArchiveError``; ``HTTPCallError``, also for what the server refused. There is no
    ///   file then.
    package func export(
        _ order: ExportOrder, to path: String, replaces: Bool,
        progress: @escaping (DownloadProgress) -> Void
    ) throws -> Int {
        guard replaces || !ArchivePath.exists(path) else { throw ArchiveError.targetExists }
        let work = ArchiveNames(path)
        let file = try ArchiveFile(path: work.part, startBytes: 0, isShared: true)
        do {
            // Of an export without a server, which this one cannot go on with.
            ArchivePath.remove(work.journal)
            try file.cut(at: 0)
            let target = "/export/\(PercentCoding.encodedQuery(order.layer))"
            try download(target, order.items) { bytes, whole in
                try file.append(bytes)
                progress(DownloadProgress(bytes: file.end, wholeBytes: whole))
            }
            try file.sync()
            try ArchivePath.rename(work.part, to: path)
            return file.end
        } catch {
            work.remove()
            throw error
        }
    }
}
