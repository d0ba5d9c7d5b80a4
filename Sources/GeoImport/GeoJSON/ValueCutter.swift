/// Finds the end of one JSON value, from pieces of any size, and keeps its bytes.
///
/// It knows strings, escapes and depth and nothing else: whether the bytes are JSON is for the
/// parser to say. Memory is bounded by the limit; a longer value is passed over.
struct ValueCutter {
    private enum Kind { case none, container, string, scalar }

    private var kind = Kind.none
    /// How many brackets are open.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The bytes of a value that began in an earlier piece.
    private(set) var carry: CarriedBytes

    init(byteLimit: Int) { carry = CarriedBytes(limitBytes: byteLimit) }

    /// Whether the value is longer than the limit.
    var isTooLong: Bool { carry.isTooLong }

    /// Whether a value has begun and not ended.
    var isOpen: Bool { kind != .none }

    /// Takes bytes of a value, from its first byte on, which is no white space.
    ///
    /// - Returns: The range of the value in the piece when it has ended; the bytes before it, if
    ///   any, are the carry. Nil when the piece has ended first.
    mutating func cut(_ piece: Span<UInt8>, from place: inout Int) -> Range<Int>? {
        let start = place
        if kind == .none { begin(piece[place]) }
        guard let end = end(piece, from: start) else {
            place = piece.count
            carry.append(piece, start..<place)
            return nil
        }
        place = end
        kind = .none
        // What fits and lies in one piece is not copied.
        if !carry.isEmpty || end - start > carry.limitBytes { carry.append(piece, start..<end) }
        return start..<end
    }

    private mutating func begin(_ first: UInt8) {
        carry.removeAll()
        depth = 0
        isInString = false
        isEscaped = false
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): kind = .container
        case UInt8(ascii: "\""): kind = .string
        default: kind = .scalar
        }
    }

    /// The place after the value's last byte.
    private mutating func end(_ piece: Span<UInt8>, from start: Int) -> Int? {
        if kind == .scalar {
            var place = start
            while place < piece.count {
                switch piece[place] {
                case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"),
                    UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                    return place
                default: place += 1
                }
            }
            return nil
        }
        var place = start
        // Locals, because the loop runs over every byte of gigabytes.
        var inString = isInString
        var escaped = isEscaped
        var depth = depth
        while place < piece.count {
            let byte = piece[place]
            place += 1
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                    if depth == 0 { return place }
                }
            } else if byte == UInt8(ascii: "\"") {
                inString = true
            } else if byte | 0x20 == UInt8(ascii: "{") {
                // Both opening brackets differ in this bit alone, and so do the closing ones.
                // The depth is below the number of bytes, so it cannot overflow.
                depth += 1
            } else if byte | 0x20 == UInt8(ascii: "}") {
                depth -= 1
                if depth <= 0 { return place }
            }
        }
        isInString = inString
        isEscaped = escaped
        self.depth = depth
        return nil
    }
}
