/// Turns the ids of files into ids of objects.
package enum FileID {
    /// The longest id that is taken as it is.
    static let maxLength = 64

    /// The object's id for an id in a file.
    ///
    /// An id of 1 to 64 characters of `[A-Za-z0-9_-]` is taken as it is. Any other becomes `h` and
    /// the 32 hexadecimal digits of its hash, so that the next import of the same file finds the
    /// same object.
    ///
    ///     FileID.objectID(for: "node-17")  // "node-17"
    ///     FileID.objectID(for: "way/1")    // "h" + 32 digits
    package static func objectID(for fileID: String) -> String {
        isPlain(fileID) ? fileID : "h" + hexadecimal(fnv1a(fileID.utf8))
    }

    /// Whether an id is taken as it is.
    package static func isPlain(_ fileID: String) -> Bool {
        (1...maxLength).contains(fileID.utf8.count) && fileID.utf8.allSatisfy(isPlain)
    }

    /// Whether an id in a range of bytes is taken as it is.
    static func isPlain(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard (1...maxLength).contains(range.count) else { return false }
        for place in range where !isPlain(bytes[place]) { return false }
        return true
    }

    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The 128-bit FNV-1a hash. Source: draft-eastlake-fnv.
    static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt128 {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in bytes {
            // The product wraps by definition of the hash.
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        return hash
    }

    private static func hexadecimal(_ value: UInt128) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
