import GeoIndex
import JSONText

/// A stable 64-bit mix of a document's content, for exact entity tags.
///
/// It depends on the fields alone, as everybody sees them (``Document/shown``): not on their order, not on the access list, which whoever is
/// answered does not see, and not on when or how often the document was written. The definition is
/// part of the stored data:
///
///     mix(x)      = the SplitMix64 finaliser of x
///     text(bytes) = h = mix(length); for each 8 bytes, little-endian, the last padded with
///                   zeros: h = mix(h xor word)
///     content     = Σ over fields of mix(text(name) + 3·text(JSON of the value)) modulo 2^64
enum ContentHash {
    /// The mix of a byte text. O(length).
    static func text(_ span: Span<UInt8>) -> UInt64 {
        let bytes = unsafe span.bytes
        let count = bytes.byteCount
        var hash = StableHash.finalize(UInt64(count))
        var place = 0
        while place + 8 <= count {
            let word = unsafe bytes.unsafeLoadUnaligned(
                fromByteOffset: place, as: UInt64.self)
            hash = StableHash.finalize(hash ^ UInt64(littleEndian: word))
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
            hash = StableHash.finalize(hash ^ word)
        }
        return hash
    }

    /// The share of one field.
    static func field(name: UInt64, value: UInt64) -> UInt64 {
        StableHash.finalize(name &+ 3 &* value)
    }
}

extension Document {
    /// The mix of its fields, as ``LocatedObject/content`` has it. O(size of the document).
    package var contentHash: UInt64 {
        var writer = JSONWriter()
        var content: UInt64 = 0
        for member in fields {
            writer.removeAll()
            writer.value(member.value)
            let value = ContentHash.text(writer.bytes.span)
            // Sums of mixes wrap: see ContentHash.
            content &+= ContentHash.field(name: ContentHash.text(member.key), value: value)
        }
        return content
    }
}
