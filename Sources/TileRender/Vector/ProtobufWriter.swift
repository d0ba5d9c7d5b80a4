/// Appends fields of Protocol Buffers messages to bytes, as far as vector tiles need them.
///
/// A field is a varint of its number and wire type, then its value; a message within a message
/// stands behind its length. Source: Protocol Buffers, "Encoding".
extension [UInt8] {
    /// Appends a base 128 varint: seven bits a byte, low bits first.
    @inline(__always)
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the tag of a field.
    ///
    /// - Precondition: the number is below 16, so that the tag is one byte.
    @inline(__always)
    mutating func appendTag(_ field: UInt8, _ wire: ProtobufWire) {
        append(field << 3 | wire.rawValue)
    }

    /// Appends a field of text or of a packed list: tag, length, bytes.
    @inline(__always)
    mutating func appendField(_ field: UInt8, _ bytes: Span<UInt8>) {
        appendTag(field, .lengthDelimited)
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    /// Appends a field of text or of a packed list: tag, length, bytes.
    @inline(__always)
    mutating func appendField(_ field: UInt8, _ bytes: [UInt8]) {
        appendTag(field, .lengthDelimited)
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    /// Appends bytes that stand elsewhere.
    @inline(__always)
    mutating func append(contentsOf bytes: Span<UInt8>) {
        // A copy of a whole run, which a span has no other way for.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

/// How the value of a field is laid out.
enum ProtobufWire: UInt8 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
}

/// Sizes and forms of numbers on the wire.
enum Protobuf {
    /// The bytes that a varint takes, 1 to 10.
    @inline(__always)
    static func varintBytes(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

    /// A signed number with its sign in the lowest bit, so that small ones stay short.
    @inline(__always)
    static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value << 1 ^ value >> 63)
    }
}
