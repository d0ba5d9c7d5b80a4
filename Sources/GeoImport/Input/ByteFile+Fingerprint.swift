import GeoIndex

extension ByteFile {
    /// A hash of all bytes, by which a file is known again; nil for a pipe. O(length), and the file
    /// is at its beginning afterwards.
    ///
    /// - Throws: ``ImportError/file(operation:code:)``.
    package mutating func fingerprint() throws(ImportError) -> UInt64? {
        guard canRewind else { return nil }
        try rewind()
        var hash = StableHash()
        while try readPiece({ (piece) throws(ImportError) in
            unsafe piece.withUnsafeBufferPointer { unsafe hash.combine(bytes: $0) }
        }) {}
        try rewind()
        return hash.value
    }
}
