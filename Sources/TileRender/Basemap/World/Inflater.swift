internal import CDeflate

/// Reads zlib streams (RFC 1950) whose unpacked size is known: the one user of libdeflate's
/// decompressor.
enum Inflater {
    /// The unpacked bytes, or `nil` when the stream is broken or does not unpack to exactly
    /// `size` bytes.
    ///
    /// - Complexity: O(size).
    static func unzlib(_ packed: Span<UInt8>, size: Int) -> [UInt8]? {
        guard let decompressor = unsafe libdeflate_alloc_decompressor() else { return nil }
        defer { unsafe libdeflate_free_decompressor(decompressor) }
        var isWhole = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { room, count in
            let result = unsafe packed.withUnsafeBufferPointer { input in
                // Without a place for the actual size, anything but `size` bytes is an error.
                unsafe libdeflate_zlib_decompress(
                    decompressor, input.baseAddress, input.count, room.baseAddress, size, nil)
            }
            isWhole = result == LIBDEFLATE_SUCCESS
            count = isWhole ? size : 0
        }
        return isWhole ? bytes : nil
    }
}
