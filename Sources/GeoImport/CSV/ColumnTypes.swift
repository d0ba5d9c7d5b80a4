/// What the cells of a column become.
package enum ColumnType: Hashable, Sendable {
    /// Numbers, because every cell that is not empty is a JSON number.
    case number
    /// Booleans, because every cell that is not empty is `true` or `false`.
    case boolean
    /// Text.
    case text
}

/// The first of the two readings of a table: it finds the type of every column.
///
/// A column's type is known only when its last cell was seen, so a table is read twice: a file
/// from the beginning again, a pipe or a request's body by way of a temporary file. All records
/// with as many cells as the header count, taken or not. A whole number beyond 64 bits makes a
/// column text: as a double it would be another number.
package struct CSVSurvey: Sendable {
    private var headerReader: CSVHeaderReader
    private let options: ImportOptions
    private(set) var header: CSVHeader?
    /// Until the header is known it scans nothing.
    private var scanner = CSVScanner(delimiter: 0, cellLimit: 0, byteLimit: 1, line: 1)
    private var guesses = ColumnGuesses(columnCount: 0, fieldColumns: [])

    /// Creates a survey of a table.
    package init(options: ImportOptions) {
        self.options = options
        headerReader = CSVHeaderReader(options: options)
    }

    /// Takes the next bytes.
    ///
    /// - Throws: ``ImportError`` when the header cannot be read or lacks a column.
    package mutating func push(_ piece: Span<UInt8>) throws(ImportError) {
        var place = 0
        if header == nil {
            guard let found = try headerReader.next(piece, from: &place) else { return }
            begin(found)
        }
        while let event = scanner.next(piece, from: &place) { take(event, piece) }
    }

    /// Takes the end of the input.
    package mutating func finish() throws(ImportError) -> CSVColumnTypes {
        if header == nil { begin(try headerReader.finish()) }
        let nothing: [UInt8] = []
        while let event = scanner.finish() { take(event, nothing.span) }
        return CSVColumnTypes(types: guesses.types)
    }

    private mutating func begin(_ found: CSVHeader) {
        header = found
        let count = found.columns.count
        guesses = ColumnGuesses(columnCount: count, fieldColumns: found.fields.map(\.index))
        scanner = CSVScanner(
            delimiter: found.delimiter, cellLimit: count, byteLimit: options.limits.recordBytes,
            line: found.nextLine)
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

    init(columnCount: Int, fieldColumns: [Int]) {
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
            let type = ColumnGuesses.type(of: record, range)
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

    private static func type(of record: Span<UInt8>, _ range: Range<Int>) -> ColumnType {
        if let number = DecimalNumber(record, range) {
            return number.isJSON && number.isExact ? .number : .text
        }
        return record.booleanValue(range) == nil ? .text : .boolean
    }
}

/// The types of a table's columns, in the order of the header.
package struct CSVColumnTypes: Hashable, Sendable {
    /// One type for each column.
    package let types: [ColumnType]
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
