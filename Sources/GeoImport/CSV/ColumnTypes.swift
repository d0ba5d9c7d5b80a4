/// What the cells of a column become.
package enum ColumnType: Hashable, Sendable {
    /// Numbers, because every cell that is not empty is a JSON number.
    case number
    /// Booleans, because every cell that is not empty is `true` or `false`.
    case boolean
    /// Text.
    case text
}

/// The first of the two readings of a table: it finds its encoding, what stands where, and the type
/// of every column.
///
/// A column's type is known only when its last cell was seen, so a table is read twice: a file
/// from the beginning again, a pipe or a request's body by way of a temporary file. All records
/// with as many cells as the header count, taken or not. A whole number beyond 64 bits makes a
/// column text: as a double it would be another number.
package struct CSVSurvey {
    private let options: ImportOptions
    private(set) var header: CSVHeader?
    /// The first bytes, until the encoding can be told.
    private var head: [UInt8] = []
    private var encoding: TextEncoding?
    private var isCounted = false
    private var census = UTF8Census()
    private var decoder: TextDecoder?
    private var sample: CSVSample
    /// Until the header is known it scans nothing.
    private var scanner = CSVScanner(delimiter: 0, cellLimit: 0, byteLimit: 1, line: 1)
    private var guesses = ColumnGuesses(columnCount: 0, fieldColumns: [], point: 0)

    /// So many bytes are enough to tell UTF-16 from others.
    private static let headBytes = 64

    /// Creates a survey of a table.
    ///
    /// - Throws: ``ImportError`` for an encoding or a reference system that there is not.
    package init(options: ImportOptions) throws(ImportError) {
        self.options = options
        sample = CSVSample(limits: options.limits)
        // Now rather than after the whole table was read.
        _ = try options.transform()
    }

    /// Takes the next bytes.
    ///
    /// - Throws: ``ImportError`` when the header cannot be read or lacks a column.
    package mutating func push(_ piece: Span<UInt8>) throws(ImportError) {
        guard encoding == nil else { return try take(piece) }
        head.append(piece, 0..<piece.count)
        if head.count >= CSVSurvey.headBytes { try beginText() }
    }

    /// Takes the end of the input.
    package mutating func finish() throws(ImportError) -> CSVPlan {
        if encoding == nil { try beginText() }
        if let rest = decoder?.finish() { try takeText(rest.span) }
        if header == nil { try begin(isWhole: true) }
        let nothing: [UInt8] = []
        while let event = scanner.finish() { take(event, nothing.span) }
        guard let header else { throw .empty }
        let final = isCounted ? census.encoding : encoding ?? .utf8
        guard final != .utf8 || header.isUTF8 else { throw .headerNotUTF8 }
        return CSVPlan(
            header: header, types: guesses.types, encoding: final,
            hasGuessedEncoding: options.encoding == nil)
    }

    /// Settles how the bytes are read, as far as the first of them tell.
    private mutating func beginText() throws(ImportError) {
        let told = options.encoding ?? TextEncoding(firstBytes: head)
        isCounted = options.encoding == nil && told?.keepsASCII ?? true
        encoding = told ?? .utf8
        if let told, !told.keepsASCII { decoder = try TextDecoder(told) }
        let first = head
        head = []
        try take(first.span)
    }

    private mutating func take(_ piece: Span<UInt8>) throws(ImportError) {
        if isCounted { census.add(piece) }
        guard let decoder else { return try takeText(piece) }
        let text = decoder.decode(piece)
        try takeText(text.span)
    }

    private mutating func takeText(_ piece: Span<UInt8>) throws(ImportError) {
        var place = 0
        if header == nil {
            guard sample.take(piece, from: &place) else { return }
            try begin(isWhole: false)
        }
        while let event = scanner.next(piece, from: &place) { take(event, piece) }
    }

    private mutating func begin(isWhole: Bool) throws(ImportError) {
        let text = sample.take()
        let found = try CSVHeader(text, isWhole: isWhole, options: options)
        header = found
        let count = found.columns.count
        guesses = ColumnGuesses(
            columnCount: count, fieldColumns: found.fields.map(\.index), point: found.point)
        scanner = CSVScanner(
            delimiter: found.dialect.delimiter, newline: found.dialect.newline, cellLimit: count,
            byteLimit: options.limits.recordBytes, line: found.firstLine)
        var place = min(found.bodyOffset, text.count)
        while let event = scanner.next(text.span, from: &place) { take(event, text.span) }
    }

    private mutating func take(_ event: CSVEvent, _ piece: Span<UInt8>) {
        guard case .record(_, let range) = event else { return }
        guard scanner.cellCount == guesses.types.count else { return }
        if let range {
            guesses.look(at: scanner.cells, piece.extracting(range))
        } else {
            let carry = scanner.carry
            guesses.look(at: scanner.cells, carry.span)
        }
    }
}

/// What the columns may still be.
private struct ColumnGuesses: Sendable {
    /// The best type for all cells so far.
    private(set) var types: [ColumnType]
    private var hasCell: [Bool]
    /// The columns that may still be more than text.
    private var openColumns: [Int]
    /// What stands before the fraction of a number.
    private let point: UInt8

    init(columnCount: Int, fieldColumns: [Int], point: UInt8) {
        self.point = point
        types = Array(repeating: .text, count: columnCount)
        hasCell = Array(repeating: false, count: columnCount)
        openColumns = fieldColumns
    }

    /// Looks at a record, which has a cell for every column.
    mutating func look(at cells: [CSVCell], _ record: Span<UInt8>) {
        var closes = false
        for column in openColumns {
            let range = cells[column].range
            guard !range.isEmpty else { continue }
            let type = type(of: record, range)
            if !hasCell[column] {
                hasCell[column] = true
                types[column] = type
            } else if types[column] != type {
                types[column] = .text
            }
            closes = closes || types[column] == .text
        }
        if closes { openColumns.removeAll { hasCell[$0] && types[$0] == .text } }
    }

    private func type(of record: Span<UInt8>, _ range: Range<Int>) -> ColumnType {
        if let number = DecimalNumber(record, range, point: point) {
            return number.isJSON && number.isExact ? .number : .text
        }
        return record.booleanValue(range) == nil ? .text : .boolean
    }
}

extension Span where Element == UInt8 {
    /// The boolean of a cell that is `true` or `false`.
    func booleanValue(_ range: Range<Int>) -> Bool? {
        if spells("true", range) { return true }
        if spells("false", range) { return false }
        return nil
    }

    private func spells(_ word: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { letters in
            for index in 0..<range.count
            where unsafe letters[index] != self[range.lowerBound + index] {
                return false
            }
            return true
        }
    }
}
