/// Collects the bytes of a table's header, from pieces of any size.
///
/// A byte order mark and empty lines before the header are passed over. A quoted name may hold
/// line ends.
struct CSVHeaderReader: Sendable {
    private var bytes: [UInt8] = []
    private var isQuoted = false
    private var emptyLines = 0
    private let options: ImportOptions

    init(options: ImportOptions) { self.options = options }

    /// Takes bytes up to the end of the header; nil when it has not ended yet.
    mutating func next(_ piece: Span<UInt8>, from place: inout Int) throws(ImportError)
        -> CSVHeader?
    {
        while place < piece.count {
            let byte = piece[place]
            place += 1
            if byte == UInt8(ascii: "\n") && !isQuoted {
                if let header = try finishLine() { return header }
                continue
            }
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard bytes.count < options.limits.headerBytes else {
                throw .headerTooLong(limitBytes: options.limits.headerBytes)
            }
            bytes.append(byte)
        }
        return nil
    }

    /// Takes the end of the input as the end of the header.
    mutating func finish() throws(ImportError) -> CSVHeader {
        guard let header = try finishLine() else { throw .empty }
        return header
    }

    private mutating func finishLine() throws(ImportError) -> CSVHeader? {
        if emptyLines == 0, bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else {
            emptyLines += 1
            return nil
        }
        defer { bytes = [] }
        return try CSVHeader(bytes, options: options, emptyLinesBefore: emptyLines)
    }
}
