extension [UInt8] {
    /// Appends the bytes of a range of a span. O(count).
    mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        // A memcpy: byte by byte, large features took as long to copy as to parse. The pointer
        // does not leave the closure, and `extracting` has checked the range.
        unsafe bytes.extracting(range).withUnsafeBufferPointer { buffer in
            unsafe append(contentsOf: buffer)
        }
    }
}

extension String {
    /// The text of a range of a span; nil when it is not UTF-8. O(count).
    init?(utf8 bytes: Span<UInt8>, _ range: Range<Int>) {
        guard let text = try? UTF8Span(validating: bytes.extracting(range)) else { return nil }
        self.init(copying: text)
    }
}
