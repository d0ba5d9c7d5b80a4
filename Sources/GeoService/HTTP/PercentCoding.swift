/// Why a path or a query cannot be decoded.
enum PercentFlaw: Error, Equatable, Sendable {
    /// `%` without two hexadecimal digits.
    case escape
    /// A control character, escaped or not.
    case control
    /// An escaped `/`: what it would separate is for nobody to guess.
    case slash
    /// A segment `.` or `..`, escaped or not.
    case dots
    /// Bytes that are not UTF-8.
    case utf8
}

/// Percent-decoding (RFC 3986, and the `+` of HTML forms), without room for double meanings.
enum PercentCoding {
    /// The path with its escapes resolved, or `nil` when the bytes stand for themselves.
    ///
    /// A decoded segment never contains `/`, so the result splits as the original did.
    ///
    /// - Throws: ``PercentFlaw`` for anything that two readers could understand in two ways.
    static func decodedPath(_ path: ArraySlice<UInt8>) throws(PercentFlaw) -> [UInt8]? {
        var isPlain = true
        var isASCII = true
        for byte in path {
            if byte < 0x21 || byte == 0x7f { throw .control }
            if byte == 0x25 { isPlain = false }
            if byte >= 0x80 { isASCII = false }
        }
        guard !isPlain || !isASCII else {
            try refuseDots(path)
            return nil
        }
        let decoded = try decode(path, plusIsSpace: false)
        if decoded.count != path.count {
            let slashes = path.count { $0 == 0x2f }
            if decoded.count(where: { $0 == 0x2f }) != slashes { throw .slash }
        }
        if decoded.contains(where: { $0 < 0x20 || $0 == 0x7f }) { throw .control }
        try refuseDots(decoded[...])
        guard isUTF8(decoded) else { throw .utf8 }
        return decoded
    }

    /// A name or a value of a query.
    static func decodedQuery(_ text: ArraySlice<UInt8>) throws(PercentFlaw) -> String {
        // Most stand for themselves.
        let isPlain = text.allSatisfy { (0x01...0x7f).contains($0) && $0 != 0x25 && $0 != 0x2b }
        if isPlain { return String(decoding: text, as: UTF8.self) }
        let bytes = try decode(text, plusIsSpace: true)
        if bytes.contains(0) { throw .control }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .utf8 }
        return decoded
    }

    private static func decode(
        _ text: ArraySlice<UInt8>, plusIsSpace: Bool
    ) throws(PercentFlaw) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            if byte == 0x25 {
                guard index + 1 < text.endIndex, let high = digit(text[index]),
                    let low = digit(text[index + 1])
                else { throw .escape }
                decoded.append(high << 4 | low)
                index += 2
            } else {
                decoded.append(byte == 0x2b && plusIsSpace ? 0x20 : byte)
            }
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// A segment of dots only means another place to whoever resolves it.
    private static func refuseDots(_ path: ArraySlice<UInt8>) throws(PercentFlaw) {
        var segmentBytes = 0
        var onlyDots = true
        for byte in path {
            if byte == 0x2f {
                if onlyDots, segmentBytes == 1 || segmentBytes == 2 { throw .dots }
                segmentBytes = 0
                onlyDots = true
            } else {
                segmentBytes += 1
                if byte != 0x2e { onlyDots = false }
            }
        }
        if onlyDots, segmentBytes == 1 || segmentBytes == 2 { throw .dots }
    }
}
