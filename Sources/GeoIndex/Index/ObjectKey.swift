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
        // The first eight symbols in one word, the last two in another; what is behind the last
        // digit are zeros, and not taken over.
        let first = ObjectKey.symbols(ofDigits: bits >> 16)
        let last = ObjectKey.symbols(ofDigits: (bits >> 4 & 0xfff) << 36)
        return unsafe String(unsafeUninitializedCapacity: ObjectKey.packedLength) { buffer in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            unsafe bytes.storeBytes(of: first.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(
                of: UInt16(truncatingIfNeeded: last >> 48).bigEndian, toByteOffset: 8,
                as: UInt16.self)
            return min(length, ObjectKey.packedLength)
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

    /// The symbols of eight digits of six bits, a byte each, the highest in the highest; what is
    /// above 48 bits does not count.
    ///
    /// Eight at a time, without branches: ids are random, and a processor cannot guess them.
    @inline(__always)
    private static func symbols(ofDigits digits: UInt64) -> UInt64 {
        // Four bytes each, then two, then one: room for the two bits above each digit.
        var bytes = (digits >> 24 & 0xff_ffff) << 32 | (digits & 0xff_ffff)
        bytes = (bytes << 4 & 0x0fff_0000_0fff_0000) | (bytes & 0x0000_0fff_0000_0fff)
        bytes = (bytes << 2 & 0x3f00_3f00_3f00_3f00) | (bytes & 0x003f_003f_003f_003f)
        // The gaps of the ASCII table before `0`, `A`, `_` and `a`. The sum of a digit, at most 63,
        // and 127 less a bound sets the highest bit of its byte when it is above the bound.
        func above(_ bound: UInt64) -> UInt64 {
            (bytes &+ (0x7f &- bound) &* ones) >> 7 & ones
        }
        // At most 63 + 14 more than the symbol of 0: no byte carries over.
        let symbols =
            bytes &+ 0x2d &* ones &+ above(0) &* 2 &+ above(10) &* 7 &+ above(36) &* 4 &+ above(37)
        return symbols
    }

    /// 1 in each byte.
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
}
