import Glibc

/// The folder `files` of the data directory: `files/ab/ab12…` for stored files, by the random digits
/// of their names, and `files/incoming/` for those that are still on their way.
final class FileFolder: Sendable {
    private let path: String
    private var incoming: String { path + "/incoming" }

    private static let mode: mode_t = 0o700
    /// Room on the disk that is left to the store, in bytes.
    private static let reservedBytes: UInt64 = 256 << 20

    /// Makes the folder where there is none, and empties what was on its way.
    ///
    /// - Throws: ``FileError``.
    init(in directory: String) throws(FileError) {
        path = directory + "/files"
        for folder in [path, path + "/incoming"] {
            if unsafe mkdir(folder, Self.mode) != 0, errno != EEXIST { throw FileError() }
        }
        for name in Self.names(in: incoming) { unsafe unlink("\(incoming)/\(name)") }
    }

    /// A new empty file that goes when nobody holds it any more, unless it is ``keep(_:as:)``-t.
    ///
    /// - Throws: ``FileError``.
    func makeIncoming() throws(FileError) -> IncomingFile {
        try IncomingFile(path: "\(incoming)/\(Keys.randomKey())")
    }

    /// Refuses more when the disk is nearly full.
    ///
    /// - Throws: ``FileError/noRoom``.
    func checkRoom() throws(FileError) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { throw FileError() }
        let (free, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(
            by: UInt64(status.f_frsize))
        guard isMore || free >= Self.reservedBytes else { throw .noRoom }
    }

    /// Gives a file its place, durably: after this it is there whatever happens.
    ///
    /// - Throws: ``FileError``.
    func keep(_ file: IncomingFile, as id: String) throws(FileError) {
        try file.sync()
        let folder = folder(of: id)
        if unsafe mkdir(folder, Self.mode) == 0 {
            try Self.sync(folder: path)
        } else if errno != EEXIST {
            throw FileError()
        }
        try file.move(to: "\(folder)/\(id)")
        try Self.sync(folder: folder)
    }

    /// Opens a stored file to read it; the caller closes it.
    ///
    /// - Throws: ``FileError``.
    func open(_ id: String) throws(FileError) -> Int32 {
        let descriptor = unsafe Glibc.open(
            "\(folder(of: id))/\(id)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw FileError() }
        return descriptor
    }

    /// Deletes a stored file, when it is there.
    func remove(_ id: String) {
        unsafe unlink("\(folder(of: id))/\(id)")
    }

    /// Deletes the stored files that a condition holds for.
    ///
    /// - Complexity: O(files).
    func removeAll(where isUnwanted: (String) -> Bool) {
        for part in Self.names(in: path) where part.utf8.count == 2 {
            for id in Self.names(in: "\(path)/\(part)")
            where id.utf8.count == FileName.idLength && isUnwanted(id) {
                remove(id)
            }
        }
    }

    /// Spread over 256 folders, so that none gets long.
    private func folder(of id: String) -> String { "\(path)/\(id.prefix(2))" }

    private static func sync(folder: String) throws(FileError) {
        let descriptor = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileError() }
    }

    /// The names in a folder, without those that begin with a dot.
    private static func names(in folder: String) -> [String] {
        guard let opened = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(opened) }
        var names: [String] = []
        while let entry = unsafe readdir(opened) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
