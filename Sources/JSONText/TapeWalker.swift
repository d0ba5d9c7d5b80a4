import Glibc

/// Builds values from simdjson's tape: one 64-bit word for each value, tag in the top byte.
///
/// The tape was made by the library from checked input, so its links are trusted; its depth was
/// limited, but for one level of empty containers that the library does not count. The tape must
/// outlive the walker. Source: simdjson's `doc/tape.md`.
@safe struct TapeWalker {
    private let tape: UnsafePointer<UInt64>
    private let strings: UnsafePointer<UInt8>
    private let maxDepth: Int
    private let refusesRepeats: Bool
    private var place = 1
    private var depth = 0

    init(
        tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, maxDepth: Int,
        refusesRepeats: Bool
    ) {
        self.maxDepth = maxDepth
        self.refusesRepeats = refusesRepeats
        unsafe self.tape = tape
        unsafe self.strings = strings
    }

    /// The document's value; word 0 is the root mark.
    mutating func root() throws(JSONError) -> JSONValue {
        place = 1
        return try value()
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        let word = next()
        switch UInt8(truncatingIfNeeded: word >> 56) {
        case UInt8(ascii: "{"): return try object(header: word)
        case UInt8(ascii: "["): return try array(header: word)
        case UInt8(ascii: "\""): return .string(try string(word))
        case UInt8(ascii: "l"): return .integer(Int64(bitPattern: next()))
        case UInt8(ascii: "u"): return .number(Double(next()))
        case UInt8(ascii: "d"): return .number(Double(bitPattern: next()))
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "n"): return .null
        default: throw .invalidStructure
        }
    }

    private mutating func array(header: UInt64) throws(JSONError) -> JSONValue {
        let end = try enter(header)
        var values: [JSONValue] = []
        values.reserveCapacity(TapeWalker.count(header))
        while place < end {
            values.append(
                refusesRepeats ? try value(below: "[\(values.count)]") : try value())
        }
        leave(end)
        return .array(values)
    }

    private mutating func object(header: UInt64) throws(JSONError) -> JSONValue {
        let end = try enter(header)
        var members = JSONObject()
        members.reserveCapacity(TapeWalker.count(header))
        while place < end {
            let key = try string(next())
            guard refusesRepeats else {
                members[key] = try value()
                continue
            }
            let name = String(key.prefix(TapeWalker.shownNameLength))
            if members.contains(key) { throw .repeatedName(path: name) }
            members.append(new: key, try value(below: name))
        }
        leave(end)
        return .object(members)
    }

    /// How much of a name stands in an error's path.
    private static let shownNameLength = 100

    /// A value whose errors name where it stands: `heat.radius`, `aggregates[1].op`.
    private mutating func value(below name: String) throws(JSONError) -> JSONValue {
        do throws(JSONError) {
            return try value()
        } catch .repeatedName(let path) {
            throw .repeatedName(path: path.hasPrefix("[") ? name + path : "\(name).\(path)")
        }
    }

    /// Goes one level down and gives the place of the container's closing word.
    private mutating func enter(_ header: UInt64) throws(JSONError) -> Int {
        depth += 1
        guard depth <= maxDepth else { throw .tooDeep(limit: maxDepth) }
        return TapeWalker.end(header)
    }

    private mutating func leave(_ end: Int) {
        depth -= 1
        place = end + 1
    }

    /// The text of a string word. The input was valid UTF-8, and the library writes a lone
    /// surrogate's escape as the three bytes that UTF-8 would have for it, so those are the only
    /// bytes that can be wrong. (`String(validating:)` took half the time of a whole parse.)
    private func string(_ word: UInt64) throws(JSONError) -> String {
        let start = unsafe UnsafeRawPointer(strings + Int(word & 0x00ff_ffff_ffff_ffff))
        let length = unsafe Int(start.loadUnaligned(as: UInt32.self))
        let bytes = unsafe UnsafeRawBufferPointer(start: start + 4, count: length)
        guard unsafe !TapeWalker.hasSurrogate(bytes) else { throw .invalidString }
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// True when ED is followed by A0...BF, which is how a surrogate would be written.
    private static func hasSurrogate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard var place = bytes.baseAddress else { return false }
        let end = unsafe place + bytes.count
        while let found = unsafe memchr(place, 0xED, end - place) {
            let next = unsafe UnsafeRawPointer(found) + 1
            guard unsafe next < end else { return false }
            if unsafe next.load(as: UInt8.self) >= 0xA0 { return true }
            unsafe place = next
        }
        return false
    }

    private mutating func next() -> UInt64 {
        let word = unsafe tape[place]
        place += 1
        return word
    }

    /// The place of the closing word: a header's low 32 bits point one past it.
    private static func end(_ header: UInt64) -> Int {
        Int(header & 0xffff_ffff) - 1
    }

    /// The number of children; the library stops counting at 2^24 - 1.
    private static func count(_ header: UInt64) -> Int {
        Int(header >> 32 & 0x00ff_ffff)
    }
}
