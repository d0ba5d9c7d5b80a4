/// Base64 with the alphabet of URLs and without filling (RFC 4648 §5), as addresses and web tokens
/// have it; and the plain form, as mails and credentials have it.
enum Base64 {
    private static let letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let plainAlphabet = Array((letters + "+/").utf8)
    private static let urlAlphabet = Array((letters + "-_").utf8)

    /// The text of the URL alphabet. O(n).
    static func encodedURL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            append(bytes[start..<min(start + 3, bytes.count)], urlAlphabet, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends one to three bytes as two to four characters.
    private static func append(
        _ part: ArraySlice<UInt8>, _ alphabet: [UInt8], to text: inout [UInt8]
    ) {
        var group = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        group <<= UInt32(8 * (3 - part.count))
        for place in 0...part.count {
            text.append(alphabet[Int(group >> UInt32(18 - 6 * place) & 63)])
        }
    }

    /// The bytes of a text of the URL alphabet; nil when it is none.
    static func decodedURL(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count = 0
        for character in text.utf8 {
            guard let value = value(character) else { return nil }
            // At most 6 + 6 bits are waiting, far from 32.
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= (1 << UInt32(count)) - 1
            }
        }
        // What is left over must be the zeros of the last character.
        return count < 6 && bits == 0 ? bytes : nil
    }

    /// The bytes of a text of the plain alphabet with filling (RFC 4648 §4); nil when it is none.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 4),
            !text.utf8.contains(where: { $0 == 0x2d || $0 == 0x5f })
        else { return nil }
        let filling = text.reversed().prefix { $0 == "=" }.count
        guard filling <= 2 else { return nil }
        let plain = text.dropLast(filling).map { character in
            character == "+" ? "-" : character == "/" ? "_" : character
        }
        return decodedURL(String(plain))
    }

    /// Plain base64 with filling, in lines of 76 characters that end in CR LF (RFC 2045 §6.8).
    static func encodedLines(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            append(part, plainAlphabet, to: &text)
            for _ in part.count..<3 { text.append(UInt8(ascii: "=")) }
            if start % 57 == 54 { text += [13, 10] }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) - 48 + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
