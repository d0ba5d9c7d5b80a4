/// GeoJSON features one by one: one on each line, or an RFC 8142 text sequence.
///
/// A text that begins with the record separator (0x1E) is a sequence, whose features may go over
/// several lines; any other is newline-delimited. A line that is wrong is one rejected row. Empty
/// lines are no features.
package struct GeoJSONLinesSource: RowSource {
    private static let recordSeparator: UInt8 = 0x1e

    private let reader: FeatureReader
    private var separator: UInt8?
    private var carry: CarriedBytes
    private var features = 0
    private var markBytes = 0

    /// Creates a reader.
    ///
    /// - Throws: ``ImportError`` for a reference system that there is not.
    package init(options: ImportOptions) throws(ImportError) {
        reader = try FeatureReader(options: options)
        carry = CarriedBytes(limitBytes: options.limits.featureBytes)
    }

    package var notes: [String] { reader.notes }

    package mutating func push(
        _ piece: Span<UInt8>, into batch: inout RowBatch
    ) throws(ImportError) {
        var start = 0
        if separator == nil {
            // A byte order mark is passed over.
            let mark: [UInt8] = [0xef, 0xbb, 0xbf]
            while start < piece.count, markBytes < 3, piece[start] == mark[markBytes] {
                markBytes += 1
                start += 1
            }
            guard start < piece.count else { return }
            if piece[start] == 0xfe || piece[start] == 0xff { throw .utf16 }
            separator =
                piece[start] == GeoJSONLinesSource.recordSeparator
                ? piece[start] : UInt8(ascii: "\n")
        }
        guard let separator else { return }
        var place = start
        while place < piece.count {
            if piece[place] == separator {
                end(piece, start..<place, &batch)
                start = place + 1
            }
            place += 1
        }
        carry.append(piece, start..<place)
    }

    package mutating func finish(into batch: inout RowBatch) throws(ImportError) {
        let nothing: [UInt8] = []
        end(nothing.span, 0..<0, &batch)
        if features == 0 { throw .empty }
    }

    /// Ends a feature whose last bytes are a range of the piece.
    private mutating func end(_ piece: Span<UInt8>, _ range: Range<Int>, _ batch: inout RowBatch) {
        defer { carry.removeAll() }
        if carry.isEmpty && range.count <= carry.limitBytes {
            guard !isBlank(piece, range) else { return }
            features += 1
            batch.add(piece.extracting(range), number: features, by: reader)
            return
        }
        carry.append(piece, range)
        if carry.isTooLong {
            features += 1
            batch.reject(features, .tooLong(limitBytes: carry.limitBytes))
        } else if !isBlank(carry.bytes.span, carry.bytes.indices) {
            features += 1
            batch.add(carry.bytes.span, number: features, by: reader)
        }
    }

    private func isBlank(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for place in range {
            switch bytes[place] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                continue
            default: return false
            }
        }
        return true
    }
}
