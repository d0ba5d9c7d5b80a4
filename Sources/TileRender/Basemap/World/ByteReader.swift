/// Reads the values of a world map one after another; never past the end.
struct ByteReader {
    private let bytes: [UInt8]
    /// Bytes read so far.
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes not read yet.
    var remaining: Int { bytes.count - offset }

    func wrong(_ content: WorldMapError.Content) -> WorldMapError {
        .content(content, offset: offset)
    }

    mutating func byte() throws(WorldMapError) -> UInt8 {
        guard offset < bytes.count else { throw wrong(.end) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number of 7 bits a byte, lowest first, the top bit set on all but the last; at most
    /// 5 bytes and 32 bits.
    mutating func varint() throws(WorldMapError) -> UInt32 {
        var value: UInt32 = 0
        for shift in stride(from: UInt32(0), through: 28, by: 7) {
            let next = UInt32(try byte())
            guard shift < 28 || next < 16 else { throw wrong(.number) }
            value |= (next & 127) << shift
            if next < 128 { return value }
        }
        throw wrong(.number)
    }

    /// A number whose sign is its lowest bit ("zigzag"): 0, -1, 1, -2, …
    mutating func signed() throws(WorldMapError) -> Int {
        let value = Int(try varint())
        return value & 1 == 0 ? value >> 1 : -(value >> 1) - 1
    }

    /// How many things follow, each of which takes at least `bytesEach` bytes: so no count can
    /// ask for more memory than the file itself has.
    mutating func count(bytesEach: Int) throws(WorldMapError) -> Int {
        let count = Int(try varint())
        guard count <= remaining / bytesEach else { throw wrong(.count) }
        return count
    }

    /// Text of `1...limit` bytes of UTF-8, its length before it.
    mutating func text(limitBytes: Int) throws(WorldMapError) -> String {
        let length = Int(try varint())
        guard (1...limitBytes).contains(length) else { throw wrong(.name) }
        guard length <= remaining else { throw wrong(.end) }
        guard let text = String(validating: bytes[offset..<offset + length], as: UTF8.self) else {
            throw wrong(.name)
        }
        offset += length
        return text
    }
}
