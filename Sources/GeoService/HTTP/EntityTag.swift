/// A strong entity tag (RFC 9110 §8.8.3): the hash of what an answer is drawn from.
///
/// Each content coding of one answer is another sequence of bytes and so has another tag:
/// `"0123456789abcdef"` and `"0123456789abcdef-gz"`.
package struct EntityTag: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    private let isWide: Bool

    /// A tag of 16 hexadecimal digits.
    package init(_ hash: UInt64) {
        high = 0
        low = hash
        isWide = false
    }

    /// A tag of 32 hexadecimal digits.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
        isWide = true
    }

    /// The tag of the bytes that a coding makes, in quotes.
    func text(_ coding: ContentCoding) -> String {
        let digits = isWide ? 32 : 16
        let suffix: StaticString = coding == .gzip ? "-gz\"" : "\""
        let count = 1 + digits + suffix.utf8CodeUnitCount
        return unsafe String(unsafeUninitializedCapacity: count) { room in
            unsafe room[0] = 0x22
            for index in 0..<digits {
                let word = index < digits - 16 ? high : low
                // Most significant digit first; 16 digits a word.
                let nibble = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(index & 15))) & 15
                unsafe room[1 + index] = nibble < 10 ? 0x30 + nibble : 0x57 + nibble
            }
            suffix.withUTF8Buffer { text in
                for index in 0..<text.count {
                    unsafe room[1 + digits + index] = text[index]
                }
            }
            return count
        }
    }

    /// The coding whose tag a list of `If-None-Match` names, compared weakly as it asks: `*`,
    /// `"a"`, `W/"a"`, `"a", "b"`. The codings are asked in the order given; `*` is the first.
    func match(_ list: ArraySlice<UInt8>, among codings: [ContentCoding]) -> ContentCoding? {
        if list.elementsEqual([0x2a]) { return codings.first }
        return codings.first { Self.contains(list, Array(text($0).utf8)) }
    }

    /// Whether a list of tags has this one. A tag holds no quotes, so that they delimit.
    private static func contains(_ list: ArraySlice<UInt8>, _ tag: [UInt8]) -> Bool {
        var position = list.startIndex
        while let open = list[position...].firstIndex(of: 0x22),
            let close = list[(open + 1)...].firstIndex(of: 0x22)
        {
            if list[open...close].elementsEqual(tag) { return true }
            position = close + 1
        }
        return false
    }
}
