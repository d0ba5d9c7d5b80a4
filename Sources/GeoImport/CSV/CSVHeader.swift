/// The columns of a table, and what each is for.
///
/// A class, because every row looks at it: a value of so many arrays costs more to pass than a row
/// to read.
final class CSVHeader: Sendable {
    /// Where a row's place stands.
    enum Place: Hashable, Sendable {
        case coordinates(lon: Coordinate, lat: Coordinate)
        case geometry(index: Int)
    }

    /// The column of a coordinate and how it is written there.
    struct Coordinate: Hashable, Sendable {
        let index: Int
        let notation: CoordinateNotation
    }

    /// The columns' names, trimmed; `column1`, `column2` … in a table without a header.
    let columns: [String]
    /// What stands between the cells and the lines.
    let dialect: CSVDialect
    /// Where the first record begins, in bytes of the text.
    let bodyOffset: Int
    /// The line on which the first record begins.
    let firstLine: Int
    /// Where the place of a row stands.
    let place: Place
    let idIndex: Int?
    /// The columns that become fields, the fields' names, and whether it is the column that was
    /// asked for as the kind, which is text even when all its cells are numbers.
    let fields: [(index: Int, name: String, isKind: Bool)]
    /// What stands before the fraction of a number.
    let point: UInt8
    /// What was guessed of the table, in words; empty for a table as plain as can be.
    let guesses: [String]
    /// Whether the names are written in UTF-8.
    let isUTF8: Bool

    /// Finds out what is what in a table, from its beginning.
    ///
    /// - Parameters:
    ///   - text: The first bytes of the table, decoded.
    ///   - isWhole: Whether there are no more.
    /// - Throws: ``ImportError`` when the header cannot be read or lacks a column.
    init(_ text: [UInt8], isWhole: Bool, options: ImportOptions) throws(ImportError) {
        let markBytes = text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        var sample = Array(text[markBytes...])
        let dialect = CSVDialect(sample, isWhole: isWhole, delimiter: options.delimiter)
        if isWhole { sample.append(dialect.newline) }
        let first = try FirstRecord(sample, dialect, isWhole: isWhole, limits: options.limits)
        let records = CSVDialect.records(
            sample, delimiter: dialect.delimiter, newline: dialect.newline,
            cellLimit: first.cells.count)
        let names = first.cells.map { CSVHeader.trimmed(CSVHeader.name($0)) }
        let hasHeader =
            options.hasHeader ?? !CSVHeader.looksLikeData(first.cells, names, options)
        let columns = hasHeader ? names : names.indices.map { "column\($0 + 1)" }
        var roles = ColumnRoles(
            columns: columns, records: hasHeader ? Array(records.dropFirst()) : records,
            hasHeader: hasHeader)
        let place = try roles.place(options)
        idIndex = try roles.id(options)
        self.columns = columns
        isUTF8 =
            !hasHeader || first.cells.allSatisfy { String(utf8: $0.span, $0.indices) != nil }
        self.dialect = dialect
        self.place = place
        bodyOffset = markBytes + (hasHeader ? first.end : 0)
        firstLine = hasHeader ? first.nextLine : 1
        var used = idIndex.map { [$0] } ?? []
        var hasCommas = false
        switch place {
        case .coordinates(let lon, let lat):
            used += [lon.index, lat.index]
            hasCommas = lon.notation == .decimalComma || lat.notation == .decimalComma
        case .geometry(let index): used.append(index)
        }
        point = hasCommas ? UInt8(ascii: ",") : UInt8(ascii: ".")
        let kindIndex = try roles.kind(options)
        let rest = columns.indices.filter { !used.contains($0) }
        // An empty name says where its column stands among all columns.
        let fieldNames = FieldNames.map(
            rest.map { columns[$0].isEmpty ? "column\($0 + 1)" : columns[$0] },
            kindIndex: kindIndex.flatMap { rest.firstIndex(of: $0) })
        fields = zip(rest, fieldNames).map { index, name in
            (index: index, name: name, isKind: index == kindIndex)
        }
        var guesses: [String] = []
        if dialect.delimiter != UInt8(ascii: ","), columns.count > 1 {
            guesses.append("a \(dialect.delimiterName) between the cells")
        }
        if dialect.newline == UInt8(ascii: "\r") { guesses.append("lines that end in CR") }
        if !hasHeader { guesses.append("no header line") }
        if hasCommas { guesses.append("a comma before the fraction") }
        self.guesses = guesses + roles.guesses
    }

    /// The columns that are stored under another name, one sentence each.
    var notes: [String] {
        fields.compactMap { field in
            columns[field.index] == field.name
                ? nil : "column \"\(columns[field.index])\" is stored as \(field.name)"
        }
    }

    /// The name in a header's cell. It may be written in an encoding that is known only when all of
    /// the table was seen; what is not UTF-8 is Windows-1252 nearly always.
    private static func name(_ cell: [UInt8]) -> String {
        if let name = String(utf8: cell.span, cell.indices) { return name }
        guard let decoder = try? TextDecoder(.windows1252) else { return "" }
        return String(decoding: decoder.decode(cell.span) + decoder.finish(), as: UTF8.self)
    }

    /// Whether the first record is one of data: a cell is a number, an angle or a geometry, and
    /// none names a coordinate.
    private static func looksLikeData(
        _ cells: [[UInt8]], _ names: [String], _ options: ImportOptions
    ) -> Bool {
        let stated = [options.lonColumn, options.latColumn, options.wktColumn].compactMap { $0 }
        if stated.contains(where: { names.contains($0) && Int($0) == nil }) { return false }
        if CoordinateNames.Axis.allCases.contains(where: {
            CoordinateNames.column(of: $0, among: names) != nil
        }) {
            return false
        }
        return cells.contains { cell in
            let range = cell.span.trimmed(cell.indices)
            return DecimalNumber(cell.span, range) != nil
                || DecimalNumber(cell.span, range, point: UInt8(ascii: ",")) != nil
                || CoordinateNames.Axis.allCases.contains {
                    SexagesimalAngle.degrees(cell.span, range, $0) != nil
                } || WKTReader.geometry(cell) != nil
        }
    }

    private static func trimmed(_ name: String) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\u{a0}" }
        return String(
            name.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

/// The first record of a table.
private struct FirstRecord {
    let cells: [[UInt8]]
    /// The byte after it.
    let end: Int
    /// The line after it.
    let nextLine: Int

    init(
        _ sample: [UInt8], _ dialect: CSVDialect, isWhole: Bool, limits: ImportLimits
    ) throws(ImportError) {
        var scanner = CSVScanner(
            delimiter: dialect.delimiter, newline: dialect.newline, cellLimit: limits.columns,
            byteLimit: .max, line: 1)
        var place = 0
        guard let event = scanner.next(sample.span, from: &place) else {
            let isBlank = sample.allSatisfy { $0 == 0x0a || $0 == 0x0d }
            if isBlank && isWhole { throw .empty }
            throw isWhole
                ? .noCoordinateColumn(coordinate: "lon", columns: [])
                : .headerTooLong(limitBytes: limits.headerBytes)
        }
        guard place - 1 <= limits.headerBytes else {
            throw .headerTooLong(limitBytes: limits.headerBytes)
        }
        guard case .record(_, let range) = event else {
            throw .noCoordinateColumn(coordinate: "lon", columns: [])
        }
        guard scanner.cellCount <= limits.columns else {
            throw .tooManyColumns(limit: limits.columns)
        }
        let bytes = range.map { Array(sample[$0]) } ?? scanner.carry
        cells = scanner.cells.map { bytes.span.bytes(of: $0) }
        end = place
        nextLine = 1 + sample[..<place].count { $0 == dialect.newline }
    }
}

extension Span where Element == UInt8 {
    /// The text of a cell of this record, with doubled quotes made single; nil when it is not
    /// UTF-8.
    func text(of cell: CSVCell) -> String? {
        guard cell.hasDoubledQuotes else { return String(utf8: self, cell.range) }
        let bytes = bytes(of: cell)
        return String(utf8: bytes.span, bytes.indices)
    }

    /// The bytes of a cell of this record, with doubled quotes made single.
    func bytes(of cell: CSVCell) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(cell.range.count)
        guard cell.hasDoubledQuotes else {
            bytes.append(self, cell.range)
            return bytes
        }
        var skipsQuote = false
        for place in cell.range {
            let byte = self[place]
            if byte == UInt8(ascii: "\"") && skipsQuote {
                skipsQuote = false
                continue
            }
            skipsQuote = byte == UInt8(ascii: "\"")
            bytes.append(byte)
        }
        return bytes
    }
}
