/// A request target (RFC 9112 §3.2) taken apart.
struct TargetParts: Sendable {
    let bytes: [UInt8]
    /// The path as it was sent.
    let path: Range<Int>
    /// The path with escapes resolved, in ``decodedPath`` from ``decodedStart`` to ``decodedEnd``.
    let decodedPath: [UInt8]
    let decodedStart: Int
    let decodedEnd: Int
    /// The host of an absolute target.
    let authority: Range<Int>?

    /// Whether the target is `*`, which only OPTIONS may have.
    var isAsterisk: Bool { bytes == [0x2a] }

    /// Takes `/path?query`, `http://host/path?query` or `*` apart.
    ///
    /// - Throws: ``PercentFlaw`` for a path with two meanings, a fragment or a control character.
    init(_ bytes: [UInt8]) throws(PercentFlaw) {
        self.bytes = bytes
        var start = 0
        var authority: Range<Int>?
        if bytes.first != 0x2f, bytes != [0x2a] {
            guard let begin = Self.authorityStart(bytes) else { throw .escape }
            start = bytes[begin...].firstIndex { $0 == 0x2f || $0 == 0x3f } ?? bytes.count
            authority = begin..<start
        }
        self.authority = authority
        var end = start
        while end < bytes.count, bytes[end] != 0x3f { end += 1 }
        for byte in bytes[end...] where byte < 0x21 || byte == 0x7f || byte == 0x23 {
            throw .control
        }
        if bytes[start..<end].contains(0x23) { throw .control }
        path = start..<end
        if start == end {
            // `http://host` without a path is its root.
            decodedPath = [0x2f]
            decodedStart = 0
            decodedEnd = 1
        } else if let decoded = try PercentCoding.decodedPath(bytes[start..<end]) {
            decodedPath = decoded
            decodedStart = 0
            decodedEnd = decoded.count
        } else {
            decodedPath = bytes
            decodedStart = start
            decodedEnd = end
        }
    }

    private static func authorityStart(_ bytes: [UInt8]) -> Int? {
        for scheme in ["http://", "https://"] {
            let prefix = bytes.prefix(scheme.utf8.count).map { $0 | 0x20 }
            // The bit turns capitals into small letters and leaves `:` and `/` as they are.
            if prefix.elementsEqual(scheme.utf8) { return scheme.utf8.count }
        }
        return nil
    }
}
