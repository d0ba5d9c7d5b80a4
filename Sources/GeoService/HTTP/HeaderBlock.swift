/// Why a request's head is refused.
enum HeadFlaw: Error, Equatable, Sendable {
    /// A line that is no header field, a bare LF, a folded line, or a control character.
    case malformed
    /// A field that may stand once stands twice.
    case repeated(StaticString)
    /// Content-Length together with Transfer-Encoding.
    case lengthAndCoding

    static func == (left: HeadFlaw, right: HeadFlaw) -> Bool {
        switch (left, right) {
        case (.malformed, .malformed), (.lengthAndCoding, .lengthAndCoding): true
        case (.repeated(let left), .repeated(let right)): left.description == right.description
        default: false
        }
    }
}

/// The header fields of one request, checked once and copied once.
///
/// The library parses in place: it leaves `NUL` where a colon or a line's end stood, one for each
/// byte. That is enough to see what it tolerates and this service does not: a line that ended in a
/// bare LF left one NUL where CRLF leaves two, and a folded line still begins with its blank.
struct HeaderBlock: Sendable {
    /// The fields that the service itself asks for, found during the check.
    enum Known: Int {
        case host, contentLength, transferEncoding, expect, acceptEncoding, ifNoneMatch, origin
        case contentType, forwarded, forwardedFor, forwardedHost, forwardedProto
    }

    /// Where a known field's first value stands, and how often the field does.
    struct Slot {
        var start: UInt16 = 0
        var count: UInt16 = 0
        var times: UInt16 = 0
    }

    let bytes: [UInt8]
    /// The number of fields.
    private(set) var count = 0
    /// Whether any field is one that proxies add: `Forwarded`, `Via`, `X-Real-IP`, or a name that
    /// begins with `X-Forwarded-`, known here or not.
    private(set) var hasForwarding = false
    private var slots = InlineArray<12, Slot>(repeating: Slot())
    /// A bit for each length that a name has: 63 stands for all from there on. Most questions are for
    /// fields that are not there, and end here.
    private var lengths: UInt64 = 0

    /// Checks and indexes the fields.
    ///
    /// - Parameter bytes: the head behind the request line, as the library leaves it: `name NUL
    ///   value NUL NUL` for each field, and `NUL NUL` at the end. At most 64 kB.
    /// - Throws: ``HeadFlaw``.
    /// - Complexity: O(n).
    init(_ bytes: [UInt8]) throws(HeadFlaw) {
        self.bytes = bytes
        guard bytes.count <= Int(UInt16.max) else { throw .malformed }
        let all = bytes.span
        var position = 0
        while position + 2 < all.count {
            let nameStart = position
            while position < all.count, Self.isToken(all[position]) { position += 1 }
            let nameEnd = position
            guard nameEnd > nameStart, position < all.count, all[position] == 0 else {
                throw .malformed
            }
            position += 1
            while position < all.count, all[position] == 0x20 || all[position] == 0x09 {
                position += 1
            }
            let valueStart = position
            while position < all.count, Self.isText(all[position]) { position += 1 }
            var valueEnd = position
            while valueEnd > valueStart, all[valueEnd - 1] == 0x20 || all[valueEnd - 1] == 0x09 {
                valueEnd -= 1
            }
            guard position + 1 < all.count, all[position] == 0, all[position + 1] == 0 else {
                throw .malformed
            }
            position += 2
            count += 1
            lengths |= Self.lengthBit(nameEnd - nameStart)
            if Self.isForwarding(all.extracting(nameStart..<nameEnd)) { hasForwarding = true }
            if let known = Self.known(all.extracting(nameStart..<nameEnd)) {
                note(known, valueStart..<valueEnd)
            }
        }
        guard position + 2 == all.count, all[position] == 0, all[position + 1] == 0 else {
            throw .malformed
        }
        if self[.host].times > 1 { throw .repeated("Host") }
        if self[.contentLength].times > 1 { throw .repeated("Content-Length") }
        if self[.transferEncoding].times > 1 { throw .repeated("Transfer-Encoding") }
        if self[.contentLength].times > 0, self[.transferEncoding].times > 0 {
            throw .lengthAndCoding
        }
    }

    /// Notes that the request came through a proxy, as something beside its fields tells.
    mutating func noteForwarding() { hasForwarding = true }

    private mutating func note(_ known: Known, _ value: Range<Int>) {
        if slots[known.rawValue].times == 0 {
            // Both fit: the block is at most 64 kB.
            slots[known.rawValue].start = UInt16(value.lowerBound)
            slots[known.rawValue].count = UInt16(value.count)
        }
        slots[known.rawValue].times &+= 1
    }

    subscript(known: Known) -> Slot { slots[known.rawValue] }

    func has(_ known: Known) -> Bool { slots[known.rawValue].times > 0 }

    /// The first value of a known field.
    func range(_ known: Known) -> Range<Int>? {
        let slot = slots[known.rawValue]
        guard slot.times > 0 else { return nil }
        return Int(slot.start)..<(Int(slot.start) + Int(slot.count))
    }

    /// The first value of a known field, as text. Bytes that are not UTF-8 become U+FFFD.
    func text(_ known: Known) -> String? {
        range(known).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// All values of a known field in one list, as RFC 9110 joins repeated fields.
    func list(_ known: Known, _ name: String) -> String? {
        self[known].times > 1 ? values(name).joined(separator: ", ") : text(known)
    }

    /// All values of a field, in order; the name in any case. O(n).
    func values(_ name: String) -> [String] {
        var found: [String] = []
        forEachValue(name) { value in
            found.append(String(decoding: value, as: UTF8.self))
            return true
        }
        return found
    }

    /// The first value of a field; the name in any case. O(n), O(1) when no name is as long.
    func first(_ name: String) -> String? {
        var found: String?
        forEachValue(name) { value in
            found = String(decoding: value, as: UTF8.self)
            return false
        }
        return found
    }

    /// Calls `body` with the values of a field, in order, until it returns false.
    private func forEachValue(_ name: String, _ body: (ArraySlice<UInt8>) -> Bool) {
        let wanted = name.utf8
        guard lengths & Self.lengthBit(wanted.count) != 0 else { return }
        var position = 0
        while position + 2 < bytes.count {
            let nameStart = position
            while bytes[position] != 0 { position += 1 }
            let isWanted =
                position - nameStart == wanted.count
                && zip(bytes[nameStart..<position], wanted).allSatisfy {
                    Self.lowercased($0) == Self.lowercased($1)
                }
            position += 1
            let valueStart = position
            while bytes[position] != 0 { position += 1 }
            if isWanted {
                let value = bytes[valueStart..<position].drop { $0 == 0x20 || $0 == 0x09 }
                let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 }
                guard body(value[..<(end ?? value.startIndex)]) else { return }
            }
            position += 2
        }
    }

    private static func lengthBit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

    private static func known(_ name: Span<UInt8>) -> Known? {
        switch name.count {
        case 4: matches(name, "host") ? .host : nil
        case 6:
            matches(name, "origin") ? .origin : matches(name, "expect") ? .expect : nil
        case 9: matches(name, "forwarded") ? .forwarded : nil
        case 12: matches(name, "content-type") ? .contentType : nil
        case 13: matches(name, "if-none-match") ? .ifNoneMatch : nil
        case 14: matches(name, "content-length") ? .contentLength : nil
        case 15:
            matches(name, "accept-encoding")
                ? .acceptEncoding : matches(name, "x-forwarded-for") ? .forwardedFor : nil
        case 16: matches(name, "x-forwarded-host") ? .forwardedHost : nil
        case 17:
            matches(name, "transfer-encoding")
                ? .transferEncoding : matches(name, "x-forwarded-proto") ? .forwardedProto : nil
        default: nil
        }
    }

    private static func isForwarding(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 3: matches(name, "via")
        case 9: matches(name, "forwarded") || matches(name, "x-real-ip")
        // `x-forwarded-`: twelve bytes.
        case 12...: matches(name.extracting(..<12), "x-forwarded-")
        default: false
        }
    }

    /// Whether the name is the literal, which is in lower case and as long.
    private static func matches(_ name: Span<UInt8>, _ literal: StaticString) -> Bool {
        literal.withUTF8Buffer { wanted in
            for index in 0..<name.count {
                // The lengths are equal: the caller chose the literal by it.
                guard unsafe lowercased(name[index]) == wanted[index] else { return false }
            }
            return true
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
    }

    /// RFC 9110 `tchar`.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
        default: false
        }
    }

    /// What may stand in a value: anything but control characters.
    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 ? byte != 0x7f : byte == 0x09
    }
}
