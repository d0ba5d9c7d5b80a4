/// One cell of a record, as a range of the record's bytes.
struct CSVCell {
    /// The first byte, after an opening quote.
    var start: Int32
    /// The byte after the last, before a closing quote.
    var end: Int32
    /// Whether a quote inside is written twice.
    var hasDoubledQuotes: Bool

    var range: Range<Int> { Int(start)..<Int(end) }
    var isEmpty: Bool { start == end }
}

/// What the scanner has found.
enum CSVEvent {
    /// A record, whose cells stand in ``CSVScanner/cells``. Its bytes are a range of the piece, or,
    /// when there is none, ``CSVScanner/carry``.
    case record(line: Int, bytes: Range<Int>?)
    /// A record that is not one.
    case rejected(line: Int, reason: RejectionReason)
}

/// Cuts a table into records and cells (RFC 4180), from pieces of any size.
///
/// Lines end in LF or CRLF, or in another byte that is given. A quote begins a quoted cell only at the start of the cell; elsewhere
/// it is a character. Empty lines are no records. Every byte is looked at once, but for records
/// whose quote is never closed: there one line is rejected and the rest is read again.
struct CSVScanner {
    private enum State { case cellStart, plain, quoted, afterQuote, skipping }

    private let delimiter: UInt8
    private let newline: UInt8
    /// How many cells are kept; more are counted.
    private let cellLimit: Int
    private let byteLimit: Int

    /// The cells of the last record, up to the limit.
    private(set) var cells: [CSVCell] = []
    /// How many cells the last record has.
    private(set) var cellCount = 0
    /// The bytes of a record that began in an earlier piece.
    private(set) var carry: [UInt8] = []

    private var state = State.cellStart
    private var line: Int
    private var recordLine: Int
    private var cellStart = 0
    /// Where the closing quote of the cell stands in the record.
    private var quoteEnd = 0
    private var hasDoubledQuotes = false
    private var problem: RejectionReason?
    private var isRecordDone = true
    /// Bytes to read once more, after an unclosed quote, from a place on.
    private var replay: [UInt8] = []
    private var replayPlace = 0

    /// Creates a scanner that begins with a numbered line.
    init(
        delimiter: UInt8, newline: UInt8 = UInt8(ascii: "\n"), cellLimit: Int, byteLimit: Int,
        line: Int
    ) {
        self.delimiter = delimiter
        self.newline = newline
        self.cellLimit = cellLimit
        // Offsets in a record are 32 bits wide.
        self.byteLimit = min(max(1, byteLimit), Int(Int32.max) / 2)
        self.line = line
        recordLine = line
    }

    /// The next event of a piece, from `place` on; nil when the rest of it was only taken in.
    mutating func next(_ piece: Span<UInt8>, from place: inout Int) -> CSVEvent? {
        nextReplayed() ?? scan(piece, from: &place, keepsBytes: false)
    }

    /// The next event after the last piece; nil when there is no more.
    mutating func finish() -> CSVEvent? {
        while true {
            if let event = nextReplayed() { return event }
            beginRecordIfDone()
            if state == .quoted { return rejectUnclosedQuote() }
            if state == .cellStart && carry.isEmpty { return nil }
            // The last line has no line end: it ends here.
            let end: [UInt8] = [newline]
            var place = 0
            if let event = scan(end.span, from: &place, keepsBytes: true) { return event }
        }
    }

    private mutating func nextReplayed() -> CSVEvent? {
        while replayPlace < replay.count {
            let bytes = replay
            var place = replayPlace
            replay = []
            replayPlace = 0
            let event = scan(bytes.span, from: &place, keepsBytes: true)
            // The scan may have found another unclosed quote: its bytes come first.
            if replay.isEmpty {
                replay = bytes
                replayPlace = place
            } else {
                replay += bytes[place...]
            }
            if let event { return event }
        }
        return nil
    }

    private mutating func beginRecordIfDone() {
        guard isRecordDone else { return }
        isRecordDone = false
        carry.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
        cellCount = 0
        hasDoubledQuotes = false
        problem = nil
        state = .cellStart
        recordLine = line
    }

    private mutating func scan(
        _ piece: Span<UInt8>, from place: inout Int, keepsBytes: Bool
    ) -> CSVEvent? {
        while place < piece.count {
            beginRecordIfDone()
            if state == .skipping {
                if let event = skip(piece, from: &place) { return event }
                continue
            }
            let start = place
            let end = min(piece.count, start + byteLimit - carry.count)
            guard let lineEnd = recordEnd(piece, from: start, to: end) else {
                carry.append(piece, start..<end)
                place = end
                if carry.count >= byteLimit, let event = rejectOverlong() { return event }
                continue
            }
            place = lineEnd + 1
            line += 1
            if let event = endRecord(piece, start..<lineEnd, keepsBytes: keepsBytes) {
                return event
            }
        }
        return nil
    }

    /// The place of the line end that ends the record, when it lies in a range; ends cells on the
    /// way.
    private mutating func recordEnd(_ piece: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        let newline = newline
        let quote = UInt8(ascii: "\"")
        let delimiter = delimiter
        // What turns a place in the piece into one in the record.
        let shift = carry.count - start
        var place = start
        while place < end {
            var byte = piece[place]
            switch state {
            case .cellStart where byte == quote:
                cellStart = place + shift + 1
                state = .quoted
            case .cellStart, .plain:
                if state == .cellStart { cellStart = place + shift }
                place = piece.firstPlace(of: delimiter, or: newline, in: place..<end)
                if place == end {
                    state = .plain
                    return nil
                }
                byte = piece[place]
                if byte == newline {
                    let last = place > start ? piece[place - 1] : carry.last
                    let hasReturn = last == UInt8(ascii: "\r") && place + shift > cellStart
                    endCell(at: place + shift - (hasReturn ? 1 : 0))
                    return place
                }
                endCell(at: place + shift)
                state = .cellStart
            case .quoted:
                while byte != quote {
                    if byte == newline { line += 1 }
                    place = piece.firstPlace(of: quote, or: newline, in: (place + 1)..<end)
                    if place == end { return nil }
                    byte = piece[place]
                }
                quoteEnd = place + shift
                state = .afterQuote
            case .afterQuote:
                if byte == quote && place + shift == quoteEnd + 1 {
                    hasDoubledQuotes = true
                    state = .quoted
                } else if byte == delimiter {
                    endCell(at: quoteEnd)
                    state = .cellStart
                } else if byte == newline {
                    endCell(at: quoteEnd)
                    return place
                } else if byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\r") {
                    problem = .textAfterQuote
                }
            case .skipping: return nil
            }
            place += 1
        }
        return nil
    }

    @inline(__always)
    private mutating func endCell(at end: Int) {
        if cells.count < cellLimit {
            // Both are within the record's limit, which fits.
            cells.append(
                CSVCell(
                    start: Int32(truncatingIfNeeded: cellStart),
                    end: Int32(truncatingIfNeeded: end), hasDoubledQuotes: hasDoubledQuotes))
        }
        cellCount += 1
        hasDoubledQuotes = false
    }

    /// The event of a record whose last line ends; nil when the line is empty.
    private mutating func endRecord(
        _ piece: Span<UInt8>, _ rest: Range<Int>, keepsBytes: Bool
    ) -> CSVEvent? {
        isRecordDone = true
        if cellCount == 1, cells.first?.isEmpty ?? true, carry.count + rest.count < 2 { return nil }
        if let problem { return .rejected(line: recordLine, reason: problem) }
        if carry.isEmpty && !keepsBytes { return .record(line: recordLine, bytes: rest) }
        carry.append(piece, rest)
        return .record(line: recordLine, bytes: nil)
    }

    /// Gives up a record that is as long as a record may be.
    private mutating func rejectOverlong() -> CSVEvent? {
        if state == .quoted && carry.contains(newline) { return rejectUnclosedQuote() }
        problem = state == .quoted ? .unclosedQuote : .tooLong(limitBytes: byteLimit)
        state = .skipping
        carry.removeAll(keepingCapacity: true)
        return nil
    }

    /// Rejects the line on which a quote was opened and has what follows it read again.
    ///
    /// All that follows holds quotes in pairs only, or the cell would have been closed; read from
    /// a line's start, such pairs leave nothing open. So each byte is read again once at most.
    private mutating func rejectUnclosedQuote() -> CSVEvent? {
        isRecordDone = true
        let rejectedLine = recordLine
        if let lineEnd = carry.firstIndex(of: newline) {
            replay = Array(carry[(lineEnd + 1)...])
            replayPlace = 0
            line = rejectedLine + 1
        }
        return .rejected(line: rejectedLine, reason: .unclosedQuote)
    }

    /// Passes over the rest of a line that was given up.
    private mutating func skip(_ piece: Span<UInt8>, from place: inout Int) -> CSVEvent? {
        while place < piece.count {
            let byte = piece[place]
            place += 1
            guard byte == newline else { continue }
            line += 1
            isRecordDone = true
            return .rejected(
                line: recordLine, reason: problem ?? .tooLong(limitBytes: byteLimit))
        }
        return nil
    }
}

extension Span where Element == UInt8 {
    /// The place of the first of two bytes in a range; its end when there is none.
    ///
    /// Eight bytes at a time: a byte of `x` is zero exactly where the lowest of the bits
    /// `(x - 0x01…) & ~x & 0x80…` says so first (H. S. Warren, "Hacker's Delight", 6-1).
    @inline(__always)
    fileprivate func firstPlace(of one: UInt8, or other: UInt8, in range: Range<Int>) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let first = ones &* UInt64(one)
        let second = ones &* UInt64(other)
        var place = range.lowerBound
        return unsafe withUnsafeBytes { bytes in
            // The range lies within the span, as its caller has cut it.
            while place + 8 <= range.upperBound {
                let word = UInt64(
                    littleEndian: unsafe bytes.loadUnaligned(
                        fromByteOffset: place, as: UInt64.self))
                let (a, b) = (word ^ first, word ^ second)
                let found = ((a &- ones) & ~a | (b &- ones) & ~b) & highs
                if found != 0 { return place + found.trailingZeroBitCount >> 3 }
                place += 8
            }
            while place < range.upperBound {
                let byte = unsafe bytes[place]
                if byte == one || byte == other { break }
                place += 1
            }
            return place
        }
    }
}
