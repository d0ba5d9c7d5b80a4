/// How the bytes of a text file stand for characters.
package enum TextEncoding: Hashable, Sendable {
    /// UTF-8, which is read as it is.
    case utf8
    /// UTF-16, the lower byte of each unit first.
    case utf16LittleEndian
    /// UTF-16, the higher byte of each unit first.
    case utf16BigEndian
    /// Windows-1252, which holds all printable characters of ISO 8859-1 at the same places.
    case windows1252
    /// Any other that the C library's `iconv` knows.
    case named(String)

    /// The encoding of a name, in any case.
    ///
    /// - Throws: ``ImportError/noSuchEncoding(name:)``.
    package init(named name: String) throws(ImportError) {
        switch name.lowercased() {
        case "utf-8", "utf8": self = .utf8
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        case "windows-1252", "cp1252": self = .windows1252
        default:
            // A slash would begin an option of iconv, or a path.
            let isName =
                (1...32).contains(name.utf8.count)
                && name.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                        UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
            guard isName else { throw .noSuchEncoding(name: name) }
            self = .named(name)
            _ = try TextDecoder(self)
        }
    }

    /// The encoding that the first bytes of a file tell: by a byte order mark, or by the zeros of
    /// ASCII in UTF-16; nil when they tell nothing.
    init?(firstBytes bytes: [UInt8]) {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
            self = .utf8
        } else if bytes.starts(with: [0xff, 0xfe]) {
            self = .utf16LittleEndian
        } else if bytes.starts(with: [0xfe, 0xff]) {
            self = .utf16BigEndian
        } else {
            let seen = bytes.prefix(64)
            guard seen.count >= 4 else { return nil }
            let zeros = seen.indices.filter { seen[$0] == 0 }
            // A table begins with ASCII nearly always: every second byte is zero then.
            guard zeros.count * 4 >= seen.count, Set(zeros.map { $0 % 2 }).count == 1 else {
                return nil
            }
            self = zeros[0] % 2 == 1 ? .utf16LittleEndian : .utf16BigEndian
        }
    }

    /// The name by which people know it, which is also that of `iconv`.
    package var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16LE"
        case .utf16BigEndian: "UTF-16BE"
        case .windows1252: "Windows-1252"
        case .named(let name): name
        }
    }

    /// Whether quotes, delimiters and digits are the bytes of ASCII, so that a table can be cut
    /// into cells before it is decoded.
    var keepsASCII: Bool {
        switch self {
        case .utf8, .windows1252: true
        case .utf16LittleEndian, .utf16BigEndian, .named: false
        }
    }
}
