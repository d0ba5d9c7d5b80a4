internal import Synchronization

/// One thread at a time in what may open, read or close a font.
///
/// Cairo keeps the faces of all threads in one FreeType library and opens and closes them outside
/// its own locks, where FreeType asks for one. Two threads that open fonts at the same moment can
/// leave a font that fails from then on. Source: FreeType 2 API reference, FT_Library: a library
/// shared by threads needs a lock around FT_New_Face and FT_Done_Face.
enum FontLock {
    private static let mutex = Mutex(())

    /// Runs `body` alone.
    static func held(_ body: () -> Void) { mutex.withLock { _ in body() } }
}
