/// Why a text is not JSON that this service takes.
package enum JSONError: Error, Equatable, Sendable {
    /// The text has no value in it.
    case empty
    /// The text has more bytes than the caller allows.
    case tooLarge(limitBytes: Int)
    /// Arrays and objects nest deeper than the caller allows.
    case tooDeep(limit: Int)
    /// The bytes from `offset` on are not UTF-8.
    case invalidUTF8(offset: Int)
    /// The text begins with a byte order mark.
    case byteOrderMark
    /// A string has a wrong escape, a lone surrogate, a raw control character or no end.
    case invalidString
    /// A number is not written as JSON writes numbers, or is too large for a double.
    case invalidNumber
    /// Commas, colons, brackets or literals are not where they belong.
    case invalidStructure
    /// A name stands twice in an object of which that was to be refused.
    case repeatedName(path: String)
    /// There is no memory for the text.
    case outOfMemory
}

extension JSONError: CustomStringConvertible {
    /// A sentence that says what is wrong.
    package var description: String {
        switch self {
        case .empty: "the text is empty where a JSON value is expected"
        case .tooLarge(let limit): "the JSON text is longer than \(limit) bytes"
        case .tooDeep(let limit): "the JSON text nests deeper than \(limit) levels"
        case .invalidUTF8(let offset): "the JSON text is not UTF-8 from byte \(offset) on"
        case .byteOrderMark: "the JSON text begins with a byte order mark, which is not allowed"
        case .invalidString:
            "the JSON text has a string with a wrong escape, a lone surrogate, a control character "
                + "or no closing quote"
        case .invalidNumber:
            "the JSON text has a number that is malformed or too large for a 64-bit double"
        case .invalidStructure:
            "the JSON text has a comma, colon, bracket or literal that does not belong there"
        case .repeatedName(let path): "the member \(path) of the JSON text stands more than once"
        case .outOfMemory: "there is not enough memory for the JSON text"
        }
    }
}
