import CXXHash

/// The checksum of snapshot files: XXH3 with 64 bits (Y. Collet, xxHash 0.8).
///
/// A snapshot of ten million objects has half a gigabyte, which is to be read and proved within a
/// second: XXH3 proves several gigabytes in that time and misses one damaged chunk in 2^64, where
/// a CRC of 32 bits would miss one in 2^32. It guards against damage, not against forgery: who can
/// write the data directory can write the database itself.
enum Checksum {
    /// The checksum of some bytes.
    static func of(_ bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
    }
}
