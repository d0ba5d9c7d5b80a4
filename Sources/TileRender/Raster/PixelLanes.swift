/// Sixteen palette indices below 128 in one vector, worked on without carries between them.
///
/// As 64-bit lanes, because the comparisons of `SIMD16<UInt8>` are loops over its elements here.
enum PixelLanes {
    /// The same byte everywhere.
    static func all(_ byte: UInt8) -> SIMD2<UInt64> {
        SIMD2(repeating: UInt64(byte) &* 0x0101_0101_0101_0101)
    }

    /// Sixteen bytes in the order of memory.
    static func packed(_ bytes: [UInt8]) -> SIMD2<UInt64> {
        precondition(bytes.count == 16, "\(bytes.count) bytes are not a vector")
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            UInt64(littleEndian: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        return SIMD2(word(bytes[..<8]), word(bytes[8...]))
    }

    /// All bits of each byte whose bit 0x80 is set, none of the others.
    @inline(__always)
    static func spreadingHighBit(_ pixels: SIMD2<UInt64>) -> SIMD2<UInt64> {
        let high = pixels & all(0x80)
        // 0x80 - 1 is 0x7f: no byte borrows from the next.
        return high | (high &- (high &>> 7))
    }

    /// All bits of each byte that is 0, none of the others.
    @inline(__always)
    static func isZero(_ pixels: SIMD2<UInt64>) -> SIMD2<UInt64> {
        // 127 + 127 is below 256: no byte carries into the next.
        ~spreadingHighBit(pixels &+ all(0x7f))
    }
}
