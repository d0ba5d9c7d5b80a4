/// Writes shapes as well-known binary (OGC 06-103r4, 8.2), in which GEOS takes them.
enum WellKnownBinary {
    /// A shape as little-endian WKB of two dimensions. O(positions).
    ///
    /// Rings that are open are closed, because GEOS refuses them.
    static func encode(_ shape: Shape) -> [UInt8] {
        var bytes: [UInt8] = []
        append(shape, to: &bytes)
        return bytes
    }

    private static func append(_ shape: Shape, to bytes: inout [UInt8]) {
        bytes.append(1)
        switch shape {
        case .point(let position):
            append(1, to: &bytes)
            append(position, to: &bytes)
        case .line(let positions):
            append(2, to: &bytes)
            append(positions, to: &bytes)
        case .polygon(let rings):
            append(3, to: &bytes)
            append(UInt32(clamping: rings.count), to: &bytes)
            for ring in rings {
                guard let first = ring.first, first != ring.last else {
                    append(ring, to: &bytes)
                    continue
                }
                append(ring + [first], to: &bytes)
            }
        case .collection(let shapes):
            append(7, to: &bytes)
            append(UInt32(clamping: shapes.count), to: &bytes)
            for part in shapes { append(part, to: &bytes) }
        }
    }

    private static func append(_ positions: [LonLat], to bytes: inout [UInt8]) {
        append(UInt32(clamping: positions.count), to: &bytes)
        for position in positions { append(position, to: &bytes) }
    }

    private static func append(_ position: LonLat, to bytes: inout [UInt8]) {
        append(littleEndian: position.lon.bitPattern, byteCount: 8, to: &bytes)
        append(littleEndian: position.lat.bitPattern, byteCount: 8, to: &bytes)
    }

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        append(littleEndian: UInt64(value), byteCount: 4, to: &bytes)
    }

    private static func append(littleEndian value: UInt64, byteCount: Int, to bytes: inout [UInt8])
    {
        for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
