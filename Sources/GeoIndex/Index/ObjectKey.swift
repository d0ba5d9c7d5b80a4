/// An objectId packed into 64 bits, so that an index entry holds it without an indirection.
///
/// The alphabet of objectIds, `[A-Za-z0-9_-]`, has exactly 64 symbols. Up to ten of them fit in
/// 60 bits, first symbol highest, above four bits of length. Packed ids compare as their bytes
/// do. A longer id is stood for by 60 bits of its hash above the length 15; its text is kept in
/// the layer's ``IDTable``.
public struct ObjectKey: Hashable, Sendable {
    /// The packed bits; short ids order by them as their text does.
    public let bits: UInt64

    /// Bits read back from an index page.
    @inlinable
    init(bits: UInt64) {
        self.bits = bits
    }

    /// The longest id that is packed whole.
    static let packedLength = 10
    /// The length that marks a hashed id.
    private static let hashedMark: UInt64 = 15

    /// Packs an id.
    ///
    /// - Returns: nil when the id has a character outside the alphabet, is empty, or is longer
    ///   than ``IDTable/maxLength``.
    package init?(packing id: String) {
        let utf8 = id.utf8
        guard (1...IDTable.maxLength).contains(utf8.count) else { return nil }
        var packed: UInt64 = 0
        for byte in utf8 {
            guard let digit = ObjectKey.digit(ofSymbol: byte) else { return nil }
            packed = packed << 6 | digit
        }
        if utf8.count <= ObjectKey.packedLength {
            let padding = UInt64(6 * (ObjectKey.packedLength - utf8.count))
            bits = packed << (padding + 4) | UInt64(utf8.count)
        } else {
            var hash = StableHash()
            for byte in utf8 { hash.combine(UInt64(byte)) }
            bits = hash.value << 4 | ObjectKey.hashedMark
        }
    }

    /// Whether the id is too long to be packed, so that its text stands in the ``IDTable``.
    @inlinable var isHashed: Bool { bits & 15 == 15 }

    /// The key after that of a hashed id, the first one after the last.
    var next: ObjectKey { ObjectKey(bits: bits &+ 16) }

    /// The text of a packed id; nil for a hashed one.
    var packedText: String? {
        guard !isHashed else { return nil }
        let length = Int(bits & 15)
        return unsafe String(unsafeUninitializedCapacity: length) { buffer in
            for index in 0..<length {
                let digit = bits >> UInt64(4 + 6 * (ObjectKey.packedLength - 1 - index)) & 63
                unsafe buffer[index] = ObjectKey.symbol(ofDigit: digit)
            }
            return length
        }
    }

    /// Digits follow the symbols' byte order: `-`, `0-9`, `A-Z`, `_`, `a-z`.
    static func digit(ofSymbol byte: UInt8) -> UInt64? {
        switch byte {
        case 0x2d: 0
        case 0x30...0x39: UInt64(byte) - 0x30 + 1
        case 0x41...0x5a: UInt64(byte) - 0x41 + 11
        case 0x5f: 37
        case 0x61...0x7a: UInt64(byte) - 0x61 + 38
        default: nil
        }
    }

    /// No branches: ids are random, and a processor cannot guess them.
    @inline(__always)
    private static func symbol(ofDigit digit: UInt64) -> UInt8 {
        // Gaps of the ASCII table before `0`, `A`, `_` and `a`.
        let gaps =
            (digit > 0 ? 2 : 0) + (digit > 10 ? 7 : 0) + (digit > 36 ? 4 : 0)
            + (digit > 37 ? 1 : 0)
        // At most 63 + 14 more than the symbol of 0.
        return UInt8(truncatingIfNeeded: 0x2d &+ digit &+ UInt64(gaps))
    }
}
