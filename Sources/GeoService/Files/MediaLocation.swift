/// Takes the place and other remarks out of films and sound.
enum MediaLocation {
    /// - Throws: ``FileError``.
    static func remove(from file: IncomingFile, _ kind: FileKind) throws(FileError) {
        guard [.mp4, .quickTime, .m4a].contains(kind) else { return }
    }
}
