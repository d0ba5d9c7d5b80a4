import GeoIndex
import JSONText

/// A table as rows: the second of its two readings, after ``CSVSurvey``.
///
/// A record becomes an object at its longitude and latitude; the id column becomes its id, every
/// other column that is not empty a field of the column's type. When the id is not one that
/// objects may have, the field `sourceId` keeps it as it was.
///
/// Coordinates are decimal numbers with a point; spaces round them and a plus are forgiven.
package struct CSVSource: RowSource, Sendable {
    private let options: ImportOptions
    private let types: CSVColumnTypes
    private var headerReader: CSVHeaderReader
    private var header: CSVHeader?
    /// Until the header is known it scans nothing.
    private var scanner = CSVScanner(delimiter: 0, cellLimit: 0, byteLimit: 1, line: 1)

    /// Creates a reader of a table whose columns have been surveyed.
    package init(options: ImportOptions, types: CSVColumnTypes) {
        self.options = options
        self.types = types
        headerReader = CSVHeaderReader(options: options)
    }

    package var notes: [String] { header?.notes ?? [] }

    package mutating func push(
        _ piece: Span<UInt8>, into batch: inout RowBatch
    ) throws(ImportError) {
        var place = 0
        if header == nil {
            guard let found = try headerReader.next(piece, from: &place) else { return }
            begin(found)
        }
        while let event = scanner.next(piece, from: &place) { take(event, piece, &batch) }
    }

    package mutating func finish(into batch: inout RowBatch) throws(ImportError) {
        if header == nil { begin(try headerReader.finish()) }
        let nothing: [UInt8] = []
        while let event = scanner.finish() { take(event, nothing.span, &batch) }
    }

    private mutating func begin(_ found: CSVHeader) {
        header = found
        scanner = CSVScanner(
            delimiter: found.delimiter, cellLimit: found.columns.count,
            byteLimit: options.limits.recordBytes, line: found.nextLine)
    }

    private func take(_ event: CSVEvent, _ piece: Span<UInt8>, _ batch: inout RowBatch) {
        guard let header else { return }
        switch event {
        case .rejected(let line, let reason):
            batch.rejections.append(RowRejection(line: line, reason: reason))
        case .record(let line, _) where scanner.cellCount != header.columns.count:
            batch.rejections.append(
                RowRejection(
                    line: line,
                    reason: .columnCount(
                        found: scanner.cellCount, expected: header.columns.count)))
        case .record(let line, let range?):
            add(line, scanner.cells, piece.extracting(range), header, &batch)
        case .record(let line, nil):
            add(line, scanner.cells, scanner.carry.span, header, &batch)
        }
    }

    private func add(
        _ line: Int, _ cells: [CSVCell], _ record: Span<UInt8>, _ header: CSVHeader,
        _ batch: inout RowBatch
    ) {
        do throws(RowProblem) {
            batch.rows.append(try row(line, cells, record, header))
        } catch {
            let id = header.idIndex.flatMap { cells[$0].isEmpty ? nil : record.text(of: cells[$0]) }
            batch.rejections.append(
                RowRejection(
                    line: line, id: id.map(FileID.objectID(for:)), reason: error.reason))
        }
    }

    private func row(
        _ line: Int, _ cells: [CSVCell], _ record: Span<UInt8>, _ header: CSVHeader
    ) throws(RowProblem) -> ImportRow {
        let lon = try coordinate(cells[header.lonIndex], record, header.columns[header.lonIndex])
        let lat = try coordinate(cells[header.latIndex], record, header.columns[header.latIndex])
        let position: LonLat
        do throws(CoordinateError) {
            position = try LonLat(lon: lon, lat: lat)
        } catch {
            let index =
                if case .longitude = error { header.lonIndex } else { header.latIndex }
            throw RowProblem(
                .outOfRange(column: header.columns[index], lon: lon, lat: lat))
        }
        var fields = JSONObject()
        // Two more: the source's id, and the place that the writing side adds.
        fields.reserveCapacity(header.fields.count + 2)
        for field in header.fields {
            let cell = cells[field.index]
            guard !cell.isEmpty else { continue }
            // The header gives every column a name of its own.
            fields.append(
                new: field.name,
                try value(
                    cell, record, field.isKind ? .text : types.types[field.index],
                    header.columns[field.index]))
        }
        var id: String?
        if let index = header.idIndex, !cells[index].isEmpty {
            let text = try text(cells[index], record, header.columns[index])
            let objectID = FileID.objectID(for: text)
            if objectID != text { fields["sourceId"] = .string(text) }
            id = objectID
        }
        return ImportRow(line: line, id: id, position: position, fields: fields)
    }

    private func coordinate(
        _ cell: CSVCell, _ record: Span<UInt8>, _ column: String
    ) throws(RowProblem) -> Double {
        var range = cell.range
        let space = UInt8(ascii: " ")
        while !range.isEmpty, record[range.lowerBound] == space { range.removeFirst() }
        while !range.isEmpty, record[range.upperBound - 1] == space { range.removeLast() }
        guard !range.isEmpty else { throw RowProblem(.noPlace(column: column)) }
        guard let number = DecimalNumber(record, range) else {
            throw RowProblem(.notANumber(column: column))
        }
        return number.value
    }

    private func value(
        _ cell: CSVCell, _ record: Span<UInt8>, _ type: ColumnType, _ column: String
    ) throws(RowProblem) -> JSONValue {
        switch type {
        case .number:
            // The survey has read the same bytes, so the text below is for a file that changed
            // between the readings.
            if let number = DecimalNumber(record, cell.range) {
                return number.integer.map { .integer($0) } ?? .number(number.value)
            }
        case .boolean:
            if let flag = record.booleanValue(cell.range) { return .bool(flag) }
        case .text: break
        }
        return .string(try text(cell, record, column))
    }

    private func text(
        _ cell: CSVCell, _ record: Span<UInt8>, _ column: String
    ) throws(RowProblem) -> String {
        guard let text = record.text(of: cell) else { throw RowProblem(.notUTF8(column: column)) }
        return text
    }
}

/// A reason on its way out of the reading of a row, with the row's id where it is known.
struct RowProblem: Error {
    let reason: RejectionReason
    let id: String?

    init(_ reason: RejectionReason, id: String? = nil) {
        self.reason = reason
        self.id = id
    }
}
