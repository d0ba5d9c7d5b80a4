/// A stable 64-bit mix of a document's content, for exact entity tags.
///
/// It depends on the fields and the access list alone: not on the order of the fields, not on when
/// or how often the document was written. The definition is part of the stored data:
///
///     mix(x)      = the SplitMix64 finaliser of x
///     text(bytes) = h = mix(length); for each 8 bytes, little-endian, the last padded with
///                   zeros: h = mix(h xor word)
///     content     = Σ over fields of mix(text(name) + 3·text(JSON of the value))
///                   + 5·text(JSON of the access list), when there is one; all modulo 2^64
///
/// Source of the finaliser: S. Vigna, "splitmix64.c", public domain.
enum ContentHash {
    /// The SplitMix64 finaliser: a bijection of 64 bits.
    @inline(__always)
    static func mix(_ value: UInt64) -> UInt64 {
        // Multiplication modulo 2^64 is the definition.
        var bits = value
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    /// The mix of a byte text. O(length).
    static func text(_ span: Span<UInt8>) -> UInt64 {
        let bytes = unsafe span.bytes
        let count = bytes.byteCount
        var hash = mix(UInt64(count))
        var place = 0
        while place + 8 <= count {
            let word = unsafe bytes.unsafeLoadUnaligned(
                fromByteOffset: place, as: UInt64.self)
            hash = mix(hash ^ UInt64(littleEndian: word))
            place += 8
        }
        if place < count {
            var word: UInt64 = 0
            var shift: UInt64 = 0
            while place < count {
                let byte = unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
                word |= UInt64(byte) << shift
                shift += 8
                place += 1
            }
            hash = mix(hash ^ word)
        }
        return hash
    }

    /// The share of one field.
    static func field(name: UInt64, value: UInt64) -> UInt64 {
        mix(name &+ 3 &* value)
    }
}
