/// The name of a stored file: 32 random hexadecimal digits, `_`, and the name that it was given.
///
///     FileName(given: "cat.png")?.text  // "0f3a…9c_cat.png"
///
/// The digits alone find the file; what was given is for people, and never part of a path.
struct FileName: Hashable, Sendable {
    /// The random digits, lower case.
    let id: String
    /// The name that the client gave, with an extension that it may have got.
    let given: String

    /// The whole name.
    var text: String { "\(id)_\(given)" }

    /// The length of the random part, in digits.
    static let idLength = 32
    /// The longest name that may be given, in characters.
    static let maximumLength = 128

    /// A new name for what was given.
    init(given: String) {
        id = Keys.randomKey()
        self.given = given
    }

    /// Reads a whole name; nil when it is none.
    init?(_ text: String) {
        let utf8 = text.utf8
        guard utf8.count > Self.idLength + 1, utf8.count <= Self.idLength + 1 + 160,
            utf8.prefix(Self.idLength).allSatisfy(Self.isHexDigit),
            utf8.dropFirst(Self.idLength).first == UInt8(ascii: "_"),
            let id = String(utf8.prefix(Self.idLength)),
            let given = String(utf8.dropFirst(Self.idLength + 1)), Self.isAllowed(given)
        else { return nil }
        self.id = id
        self.given = given
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Refuses a name that may not be given: Parse's rule, `^[_a-zA-Z0-9][a-zA-Z0-9@. ~_-]*$`.
    ///
    /// - Throws: ``ParseError`` 122.
    static func check(given: String) throws(ParseError) {
        guard !given.isEmpty else {
            throw ParseError(.invalidFileName, "Filename not provided.")
        }
        guard given.utf8.count <= maximumLength else {
            throw ParseError(
                .invalidFileName, "Filename too long: at most \(maximumLength) characters.")
        }
        guard isAllowed(given) else {
            throw ParseError(
                .invalidFileName,
                "Filename contains invalid characters: it must begin with a letter, a digit or _ "
                    + "and have only these, spaces and @ . ~ -")
        }
    }

    private static func isAllowed(_ text: String) -> Bool {
        guard let first = text.utf8.first, isWord(first) else { return false }
        return text.utf8.allSatisfy { isWord($0) || "@. ~-".utf8.contains($0) }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f: true
        default: false
        }
    }

    /// What stands behind the last dot, in lower case; nil when nothing does.
    static func fileExtension(of given: String) -> String? {
        guard let dot = given.lastIndex(of: "."), dot != given.startIndex else { return nil }
        let text = given[given.index(after: dot)...].lowercased()
        return text.isEmpty ? nil : text
    }
}
