import JSONText

/// What `$text` looks for in a text: words, as MongoDB's search without stemming.
///
/// One of the words is enough; a phrase in quotation marks must be there as it stands, and a word
/// with a minus sign must not. Case and accents count only where the query says so.
struct WhereWords: Hashable, Sendable {
    private var words: Set<String> = []
    private var excluded: Set<String> = []
    private var phrases: [[String]] = []
    private let keepsCase: Bool
    private let keepsAccents: Bool

    /// How long what is looked for may be, in bytes.
    static let lengthLimit = 1_000

    init(_ term: String, keepsCase: Bool, keepsAccents: Bool) {
        self.keepsCase = keepsCase
        self.keepsAccents = keepsAccents
        let parts = term.split(separator: "\"", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            // Between quotation marks; the last without its partner is none.
            if index % 2 == 1, index < parts.count - 1 {
                let phrase = tokens(of: String(part))
                if !phrase.isEmpty { phrases.append(phrase) }
                continue
            }
            for word in part.split(whereSeparator: \.isWhitespace) {
                let found = tokens(of: String(word))
                if word.hasPrefix("-") { excluded.formUnion(found) } else { words.formUnion(found) }
            }
        }
    }

    /// How well a text fits: how many of its words are looked for; 0 when it does not.
    func score(of text: String) -> Int {
        let tokens = tokens(of: text)
        guard !tokens.contains(where: { excluded.contains($0) }) else { return 0 }
        var score = 0
        for phrase in phrases {
            let count = WhereWords.count(of: phrase, in: tokens)
            guard count > 0 else { return 0 }
            score += count * phrase.count
        }
        return score + tokens.count { words.contains($0) }
    }

    private static func count(of phrase: [String], in tokens: [String]) -> Int {
        guard tokens.count >= phrase.count else { return 0 }
        return (0...(tokens.count - phrase.count)).count {
            tokens[$0..<($0 + phrase.count)].elementsEqual(phrase)
        }
    }

    /// The words of a text, in order.
    private func tokens(of text: String) -> [String] {
        let folded = keepsCase ? text : text.lowercased()
        return folded.split { !$0.isLetter && !$0.isNumber }.map { word in
            keepsAccents ? String(word) : WhereWords.withoutAccents(word)
        }
    }

    /// A word without accents: Unicode names a letter that has one `… LETTER E WITH ACUTE`.
    private static func withoutAccents(_ word: Substring) -> String {
        if word.utf8.allSatisfy({ $0 < 0x80 }) { return String(word) }
        var plain = String.UnicodeScalarView()
        for scalar in word.unicodeScalars where !scalar.properties.isDiacritic {
            plain.append(base(of: scalar))
        }
        return String(plain)
    }

    private static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard scalar.value >= 0x80, let name = scalar.properties.name,
            name.hasPrefix("LATIN ")
        else { return scalar }
        let words = name.split(separator: " ")
        guard words.count > 4, words[2] == "LETTER", words[4] == "WITH", words[3].count == 1,
            let letter = words[3].unicodeScalars.first
        else { return scalar }
        return words[1] == "SMALL" ? Unicode.Scalar(letter.value + 32) ?? letter : letter
    }
}

extension WhereParser {
    /// Reads `$text`.
    func text(_ value: JSONValue, at path: String) throws(WhereError) -> WhereTest {
        guard let search = value["$search"], search.objectValue != nil,
            let term = search["$term"]?.stringValue
        else {
            throw WhereError(.operand, path, "must be {\"$search\": {\"$term\": a text}}")
        }
        guard term.utf8.count <= WhereWords.lengthLimit else {
            throw WhereError(
                .operand, path, "must have a $term of at most \(WhereWords.lengthLimit) bytes")
        }
        func flag(_ name: String) throws(WhereError) -> Bool {
            guard let value = search[name] else { return false }
            guard let flag = value.boolValue else {
                throw WhereError(.operand, "\(path).$search.\(name)", "must be true or false")
            }
            return flag
        }
        if let language = search["$language"], language.stringValue == nil {
            throw WhereError(.operand, "\(path).$search.$language", "must be a text")
        }
        return .hasWords(
            WhereWords(
                term, keepsCase: try flag("$caseSensitive"),
                keepsAccents: try flag("$diacriticSensitive")))
    }
}
