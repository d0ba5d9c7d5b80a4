/// What stands between the cells and the lines of a table, guessed from its beginning.
struct CSVDialect: Hashable, Sendable {
    /// Between two cells.
    let delimiter: UInt8
    /// At the end of a line: LF, also for CRLF, or the CR of old systems.
    let newline: UInt8

    /// How many records are looked at.
    static let sampleRecords = 500

    private static let candidates: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]

    /// Guesses from the first bytes of a table.
    ///
    /// The delimiter is the one by which most records have as many cells as the first, two at
    /// least; of equal ones the one that makes more cells. A table whose cells hold decimal commas
    /// is not cut at commas when it can be cut elsewhere. Quoted cells hide what is in them.
    ///
    /// - Parameters:
    ///   - isWhole: Whether there are no more bytes, so that the last line ends without its end.
    ///   - delimiter: The delimiter, when it is known.
    /// - Complexity: O(bytes).
    init(_ bytes: [UInt8], isWhole: Bool, delimiter: UInt8?) {
        newline = CSVDialect.newline(bytes)
        let sample = isWhole ? bytes + [newline] : bytes
        if let delimiter {
            self.delimiter = delimiter
            return
        }
        var best = (delimiter: CSVDialect.candidates[0], score: 0, cells: 1, hasCommas: false)
        for candidate in CSVDialect.candidates {
            let records = CSVDialect.records(
                sample, delimiter: candidate, newline: newline, cellLimit: 64)
            let width = records.first?.count ?? 1
            guard width > 1 else { continue }
            let even = records.count { $0.count == width }
            let commas = records.count { $0.contains(where: CSVDialect.isDecimalComma) }
            let hasCommas = candidate != UInt8(ascii: ",") && 2 * commas > records.count
            let isBetter =
                hasCommas == best.hasCommas
                ? (even, width) > (best.score, best.cells) : hasCommas && 2 * even > records.count
            if isBetter { best = (candidate, even, width, hasCommas) }
        }
        self.delimiter = best.delimiter
    }

    private static func newline(_ sample: [UInt8]) -> UInt8 {
        let hasLineFeed = sample.contains(UInt8(ascii: "\n"))
        let hasReturn = sample.dropLast().contains(UInt8(ascii: "\r"))
        return hasReturn && !hasLineFeed ? UInt8(ascii: "\r") : UInt8(ascii: "\n")
    }

    /// The cells of the first records, as they are between quotes.
    static func records(
        _ sample: [UInt8], delimiter: UInt8, newline: UInt8, cellLimit: Int
    ) -> [[[UInt8]]] {
        var scanner = CSVScanner(
            delimiter: delimiter, newline: newline, cellLimit: cellLimit, byteLimit: .max, line: 1)
        var records: [[[UInt8]]] = []
        var place = 0
        while records.count < sampleRecords,
            let event = scanner.next(sample.span, from: &place)
        {
            guard case .record(_, let range) = event else { continue }
            let bytes = range.map { Array(sample[$0]) } ?? scanner.carry
            records.append(scanner.cells.map { bytes.span.bytes(of: $0) })
        }
        return records
    }

    /// Whether a cell is a number with a comma.
    private static func isDecimalComma(_ cell: [UInt8]) -> Bool {
        cell.contains(UInt8(ascii: ","))
            && DecimalNumber(
                cell.span, cell.span.trimmed(cell.indices), point: UInt8(ascii: ",")) != nil
    }

    /// The delimiter's name.
    var delimiterName: String { CSVDialect.names[delimiter] ?? "another character" }

    fileprivate static let names: [UInt8: String] = [
        UInt8(ascii: ","): "comma", UInt8(ascii: ";"): "semicolon", UInt8(ascii: "\t"): "tab",
        UInt8(ascii: "|"): "pipe",
    ]
}

extension ImportOptions {
    /// The delimiter of a name or a character; nil when it is none of the four.
    package static func delimiter(named text: String) -> UInt8? {
        CSVDialect.names.first {
            $0.value == text || String(UnicodeScalar($0.key)) == text
        }?.key
    }

    /// The name of one of the four delimiters.
    package static func delimiterName(_ delimiter: UInt8) -> String? {
        CSVDialect.names[delimiter]
    }
}
