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
    private var scanner: CSVScanner?
    private var canBeNumber: [Bool] = []
    private var canBeBoolean: [Bool] = []
    private var hasCell: [Bool] = []
    /// The columns that may still be more than text.
    private var openColumns: [Int] = []

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
        while let event = scanner?.next(piece, from: &place) { take(event, piece) }
    }

    /// Takes the end of the input.
    package mutating func finish() throws(ImportError) -> CSVColumnTypes {
        if header == nil { begin(try headerReader.finish()) }
        let nothing: [UInt8] = []
        while let event = scanner?.finish() { take(event, nothing.span) }
        return CSVColumnTypes(
            types: hasCell.indices.map { column in
                guard hasCell[column] else { return .text }
                return canBeNumber[column] ? .number : canBeBoolean[column] ? .boolean : .text
            })
    }

    private mutating func begin(_ found: CSVHeader) {
        header = found
        let count = found.columns.count
        canBeNumber = Array(repeating: true, count: count)
        canBeBoolean = Array(repeating: true, count: count)
        hasCell = Array(repeating: false, count: count)
        openColumns = found.fields.map(\.index)
        scanner = CSVScanner(
            delimiter: found.delimiter, cellLimit: count, byteLimit: options.limits.recordBytes,
            line: found.nextLine)
    }

    private mutating func take(_ event: CSVEvent, _ piece: Span<UInt8>) {
        guard case .record(_, let range) = event, let scanner else { return }
        guard scanner.cellCount == hasCell.count else { return }
        if let range {
            look(at: scanner.cells, piece.extracting(range))
        } else {
            look(at: scanner.cells, scanner.carry.span)
        }
    }

    private mutating func look(at cells: [CSVCell], _ record: Span<UInt8>) {
        var closes = false
        for column in openColumns {
            let range = cells[column].range
            guard !range.isEmpty else { continue }
            hasCell[column] = true
            if canBeNumber[column] {
                let number = DecimalNumber(record, range)
                canBeNumber[column] = number.map { $0.isJSON && $0.isExact } ?? false
            }
            if canBeBoolean[column] {
                canBeBoolean[column] = record.booleanValue(range) != nil
            }
            closes = closes || !(canBeNumber[column] || canBeBoolean[column])
        }
        if closes { openColumns.removeAll { !canBeNumber[$0] && !canBeBoolean[$0] } }
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
