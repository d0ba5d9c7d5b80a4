import CDeflate

/// Why a compressor could not be made.
public enum DeflaterError: Error, Equatable, Sendable {
    /// libdeflate had no memory for its tables.
    case outOfMemory
}

/// One libdeflate compressor: zlib and gzip streams, and the CRC-32 that both worlds share.
///
/// Belongs to one thread at a time: a worker owns its own, and the type is not `Sendable`.
/// The bytes depend on the level and on the library's version, never on earlier calls.
///
///     let deflater = try Deflater(level: 1)
///     deflater.gzip(Array("hello".utf8)).prefix(2)  // [0x1f, 0x8b]
@safe public final class Deflater {
    /// The levels that libdeflate knows: 0 stores, 1 is the fastest, 12 the smallest.
    public static let levels = 0...12

    private let compressor: OpaquePointer

    /// Creates a compressor.
    ///
    /// - Precondition: the level is in ``levels``.
    /// - Throws: ``DeflaterError/outOfMemory``.
    public init(level: Int) throws(DeflaterError) {
        precondition(Deflater.levels.contains(level), "deflate has no level \(level)")
        guard let made = unsafe libdeflate_alloc_compressor(Int32(level)) else {
            throw .outOfMemory
        }
        unsafe compressor = made
    }

    deinit { unsafe libdeflate_free_compressor(compressor) }

    /// The bytes as a zlib stream (RFC 1950), which PNG holds. O(n).
    public func zlib(_ bytes: [UInt8]) -> [UInt8] { zlib(bytes.span) }

    /// The bytes as a zlib stream (RFC 1950), which PNG holds. O(n).
    public func zlib(_ bytes: Span<UInt8>) -> [UInt8] {
        let bound = unsafe libdeflate_zlib_compress_bound(compressor, bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            unsafe count = bytes.withUnsafeBufferPointer { input in
                unsafe libdeflate_zlib_compress(
                    compressor, input.baseAddress, input.count, room.baseAddress, room.count)
            }
            // Zero means "does not fit", which the bound rules out.
            precondition(count > 0, "libdeflate broke its own bound \(bound)")
        }
    }

    /// The bytes as a gzip stream (RFC 1952) without name or time. O(n).
    public func gzip(_ bytes: [UInt8]) -> [UInt8] { gzip(bytes.span) }

    /// The bytes as a gzip stream (RFC 1952) without name or time. O(n).
    public func gzip(_ bytes: Span<UInt8>) -> [UInt8] {
        let bound = unsafe libdeflate_gzip_compress_bound(compressor, bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            unsafe count = bytes.withUnsafeBufferPointer { input in
                unsafe libdeflate_gzip_compress(
                    compressor, input.baseAddress, input.count, room.baseAddress, room.count)
            }
            // Zero means "does not fit", which the bound rules out.
            precondition(count > 0, "libdeflate broke its own bound \(bound)")
        }
    }

    /// The CRC-32 of the bytes (ISO 3309, as in PNG and gzip), continuing from `crc`. O(n).
    ///
    ///     Deflater.crc32(Array("123456789".utf8).span)  // 0xcbf43926
    public static func crc32(_ bytes: Span<UInt8>, continuing crc: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe libdeflate_crc32(crc, input.baseAddress, input.count)
        }
    }
}
