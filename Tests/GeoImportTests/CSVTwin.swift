@testable import GeoImport

/// A record as a reader saw it: its cells' bytes, or why it is none.
struct ScannedRecord: Equatable {
    var line: Int
    var cells: [[UInt8]]?
    var reason: RejectionReason?
}

/// The obvious reader of a table: the whole text at once, one byte after the other.
func csvTwin(_ text: [UInt8]) -> [ScannedRecord] {
    var records: [ScannedRecord] = []
    var lines = [0] + text.indices.filter { text[$0] == 10 }.map { $0 + 1 }
    lines.append(text.count + 1)
    var start = 0
    while start < text.count {
        let line = 1 + (lines.lastIndex { $0 <= start } ?? 0)
        var cells: [[UInt8]] = [[]]
        var isBroken = false
        var place = start
        var isOpen = false
        /// nil in a plain cell, else whether the quote was closed.
        var isClosed: Bool?
        var isAtCellStart = true
        while place < text.count, isOpen || text[place] != 10 {
            let byte = text[place]
            if isOpen {
                if byte == 34, place + 1 < text.count, text[place + 1] == 34 {
                    cells[cells.count - 1].append(34)
                    place += 1
                } else if byte == 34 {
                    isOpen = false
                    isClosed = true
                } else {
                    cells[cells.count - 1].append(byte)
                }
            } else if byte == 44 {
                cells.append([])
                isClosed = nil
                isAtCellStart = true
                place += 1
                continue
            } else if isAtCellStart && byte == 34 {
                isOpen = true
                isClosed = false
            } else if isClosed == true {
                if byte != 32 && byte != 13 { isBroken = true }
            } else {
                cells[cells.count - 1].append(byte)
            }
            isAtCellStart = false
            place += 1
        }
        if isOpen {
            records.append(ScannedRecord(line: line, reason: .unclosedQuote))
            start = lines.first { $0 > start } ?? text.count
            continue
        }
        if isClosed == nil, cells[cells.count - 1].last == 13 {
            cells[cells.count - 1].removeLast()
        }
        if isBroken {
            records.append(ScannedRecord(line: line, reason: .textAfterQuote))
        } else if place - start > 1 || cells != [[]] {
            records.append(ScannedRecord(line: line, cells: cells))
        }
        start = place + 1
    }
    return records
}

/// The same through the scanner, in pieces.
func csvScan(_ text: [UInt8], cuts: Cuts, byteLimit: Int = 1 << 20) -> [ScannedRecord] {
    var scanner = CSVScanner(delimiter: 44, cellLimit: 1000, byteLimit: byteLimit, line: 1)
    var records: [ScannedRecord] = []
    func take(_ event: CSVEvent, _ piece: [UInt8]) {
        switch event {
        case .rejected(let line, let reason):
            records.append(ScannedRecord(line: line, reason: reason))
        case .record(let line, let range):
            let bytes = range.map { Array(piece[$0]) } ?? scanner.carry
            let cells = scanner.cells.map { cell in
                guard cell.hasDoubledQuotes else { return Array(bytes[cell.range]) }
                let text = String(decoding: bytes[cell.range], as: UTF8.self)
                return Array(
                    text.split(separator: "\"\"", omittingEmptySubsequences: false)
                        .joined(separator: "\"").utf8)
            }
            records.append(ScannedRecord(line: line, cells: cells))
        }
    }
    for slice in cuts.pieces(text) {
        let piece = Array(slice)
        var place = 0
        while let event = scanner.next(piece.span, from: &place) { take(event, piece) }
    }
    while let event = scanner.finish() { take(event, []) }
    return records
}
