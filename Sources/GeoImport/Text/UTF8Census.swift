/// Counts what of a text is UTF-8 beyond ASCII and what is not, in pieces of any size.
///
/// Runs of ASCII are passed over eight bytes at a time.
struct UTF8Census: Sendable {
    /// Characters of more than one byte.
    private(set) var wideCharacters = 0
    /// Bytes that are part of no character.
    private(set) var strayBytes = 0

    private var missing = 0
    private var have = 0
    /// The values that the next continuation byte may have (Unicode 15, table 3-7).
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xbf

    /// What the text is: UTF-8, or, when more of its bytes beyond ASCII are no UTF-8 than are,
    /// a text with one byte for each character.
    var encoding: TextEncoding {
        let stray = strayBytes + have
        return stray > wideCharacters ? .windows1252 : .utf8
    }

    /// Takes the next bytes. O(count).
    mutating func add(_ piece: Span<UInt8>) {
        unsafe piece.withUnsafeBytes { bytes in
            var place = 0
            let count = bytes.count
            while place < count {
                if missing == 0 {
                    // The pointer stays within the piece: eight bytes are left.
                    while place + 8 <= count,
                        unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                            & 0x8080_8080_8080_8080 == 0
                    { place += 8 }
                    guard place < count else { break }
                }
                take(unsafe bytes[place])
                place += 1
            }
        }
    }

    private mutating func take(_ byte: UInt8) {
        if missing > 0 {
            if (lowest...highest).contains(byte) {
                missing -= 1
                have += 1
                lowest = 0x80
                highest = 0xbf
                if missing == 0 {
                    wideCharacters += 1
                    have = 0
                }
                return
            }
            strayBytes += have
            missing = 0
            have = 0
        }
        lowest = 0x80
        highest = 0xbf
        switch byte {
        case 0..<0x80: return
        case 0xc2...0xdf: missing = 1
        case 0xe0...0xef:
            missing = 2
            if byte == 0xe0 { lowest = 0xa0 }
            if byte == 0xed { highest = 0x9f }
        case 0xf0...0xf4:
            missing = 3
            if byte == 0xf0 { lowest = 0x90 }
            if byte == 0xf4 { highest = 0x8f }
        default: strayBytes += 1
        }
        if missing > 0 { have = 1 }
    }
}
