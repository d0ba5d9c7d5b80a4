/// The header of a table, and what each column is for.
///
/// A class, because every row looks at it: a value of so many arrays costs more to pass than a row
/// to read.
final class CSVHeader: Sendable {
    /// The columns' names, trimmed.
    let columns: [String]
    /// What stands between two cells: a comma, a semicolon or a tab.
    let delimiter: UInt8
    /// The line after the header.
    let nextLine: Int
    let lonIndex: Int
    let latIndex: Int
    let idIndex: Int?
    /// The columns that become fields, the fields' names, and whether it is the column that was
    /// asked for as the kind, which is text even when all its cells are numbers.
    let fields: [(index: Int, name: String, isKind: Bool)]

    /// Reads the bytes of the header, without its line end.
    ///
    /// The delimiter is the one of `,` `;` and tab that stands most often outside quotes; a comma
    /// when none does.
    ///
    /// - Throws: ``ImportError`` when the header cannot be read or lacks a column.
    init(_ bytes: [UInt8], options: ImportOptions, emptyLinesBefore: Int) throws(ImportError) {
        if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) { throw .utf16 }
        let delimiter = CSVHeader.delimiter(bytes)
        let limit = options.limits.columns
        var scanner = CSVScanner(
            delimiter: delimiter, cellLimit: limit, byteLimit: .max, line: 1)
        var place = 0
        let text = bytes + [UInt8(ascii: "\n")]
        guard case .record? = scanner.next(text.span, from: &place) else {
            throw .noCoordinateColumn(coordinate: "lon", columns: [])
        }
        guard scanner.cellCount <= limit else { throw .tooManyColumns(limit: limit) }
        var columns: [String] = []
        for cell in scanner.cells {
            guard let name = text.span.text(of: cell) else { throw .headerNotUTF8 }
            columns.append(CSVHeader.trimmed(name))
        }
        self.columns = columns
        self.delimiter = delimiter
        nextLine = 2 + emptyLinesBefore + bytes.count { $0 == UInt8(ascii: "\n") }
        lonIndex = try CSVHeader.coordinate(
            "lon", option: options.lonColumn, defaults: ["lon", "lng", "longitude", "x"], columns)
        latIndex = try CSVHeader.coordinate(
            "lat", option: options.latColumn, defaults: ["lat", "latitude", "y"], columns)
        idIndex =
            if let name = options.idColumn {
                try CSVHeader.column(named: name, option: "id", columns)
            } else {
                CSVHeader.first(of: ["id", "objectid"], columns)
            }
        if let name = options.kindColumn {
            _ = try CSVHeader.column(named: name, option: "kind", columns)
        }
        let used = [lonIndex, latIndex] + (idIndex.map { [$0] } ?? [])
        let rest = columns.indices.filter { !used.contains($0) }
        // An empty name says where its column stands among all columns.
        let kind = options.kindColumn.map(CSVHeader.trimmed)
        let names = FieldNames.map(
            rest.map { columns[$0].isEmpty ? "column\($0 + 1)" : columns[$0] }, kind: kind)
        let chosen = columns
        fields = zip(rest, names).map { index, name in
            (index: index, name: name, isKind: kind != nil && chosen[index] == kind)
        }
    }

    /// The columns that are stored under another name, one sentence each.
    var notes: [String] {
        fields.compactMap { field in
            columns[field.index] == field.name
                ? nil : "column \"\(columns[field.index])\" is stored as \(field.name)"
        }
    }

    private static func delimiter(_ bytes: [UInt8]) -> UInt8 {
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
        var counts = [0, 0, 0]
        var isQuoted = false
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, let index = candidates.firstIndex(of: byte) { counts[index] += 1 }
        }
        let most = counts.max() ?? 0
        return zip(candidates, counts).first { $0.1 == most }?.0 ?? candidates[0]
    }

    private static func coordinate(
        _ name: String, option: String?, defaults: [String], _ columns: [String]
    ) throws(ImportError) -> Int {
        if let option { return try column(named: option, option: name, columns) }
        guard let index = first(of: defaults, columns) else {
            throw .noCoordinateColumn(coordinate: name, columns: columns)
        }
        return index
    }

    /// The column that an option names: exactly, or else in another case.
    private static func column(
        named name: String, option: String, _ columns: [String]
    ) throws(ImportError) -> Int {
        let name = trimmed(name)
        let lowered = name.lowercased()
        guard
            let index = columns.firstIndex(of: name)
                ?? columns.firstIndex(where: { $0.lowercased() == lowered })
        else { throw .noSuchColumn(option: option, name: name, columns: columns) }
        return index
    }

    /// The column of the first of some lower-case names that there is.
    private static func first(of names: [String], _ columns: [String]) -> Int? {
        let lowered = columns.map { $0.lowercased() }
        return names.lazy.compactMap { lowered.firstIndex(of: $0) }.first
    }

    private static func trimmed(_ name: String) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(
            name.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

extension Span where Element == UInt8 {
    /// The text of a cell of this record, with doubled quotes made single; nil when it is not
    /// UTF-8.
    func text(of cell: CSVCell) -> String? {
        guard cell.hasDoubledQuotes else { return String(utf8: self, cell.range) }
        var bytes: [UInt8] = []
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
        return String(utf8: bytes.span, bytes.indices)
    }
}
