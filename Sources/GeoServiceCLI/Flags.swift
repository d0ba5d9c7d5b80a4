/// Reads `--name value` and `--name=value` options and the words between them.
struct Flags {
    /// The words that are no options, in order.
    private(set) var words: [String] = []
    private var values: [String: String] = [:]

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - valued: Options that take a value.
    ///   - bare: Options that take none, or one only after `=`.
    /// - Throws: ``UsageError`` for an unknown, repeated or unfinished option.
    init(_ arguments: [String], valued: Set<String>, bare: Set<String> = []) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word != "--" else {
                words.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard values[name] == nil else {
                throw UsageError(description: "\(name) stands more than once")
            }
            if bare.contains(name) {
                values[name] = parts.count == 2 ? String(parts[1]) : ""
            } else if valued.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw UsageError(description: "\(name) needs a value")
                }
                values[name] = value
            } else {
                throw UsageError(description: "there is no option \(name)")
            }
        }
    }

    /// The value of an option; empty for a bare one, nil when it is not there.
    subscript(name: String) -> String? { values[name] }
}

extension Flags {
    /// A command line without its one short option, `-o`.
    static func long(_ arguments: [String]) -> [String] {
        arguments.map { $0 == "-o" ? "--output" : $0 }
    }

    /// The value of an option that must be there.
    ///
    /// - Parameter form: How the option is written, for the message.
    /// - Throws: ``UsageError``.
    func required(_ name: String, as form: String) throws(UsageError) -> String {
        guard let value = self[name] else {
            throw UsageError(description: "\(form) is missing")
        }
        return value
    }

    /// The value of an option that is a whole number.
    ///
    /// - Throws: ``UsageError``.
    func number<Number: FixedWidthInteger>(
        _ name: String, _ type: Number.Type
    ) throws(UsageError) -> Number? {
        guard let text = self[name] else { return nil }
        guard let number = Number(text), number >= 0 else {
            throw UsageError(description: "\(name) must be a whole number, 0 or more")
        }
        return number
    }
}
