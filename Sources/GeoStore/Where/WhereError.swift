/// Why a `where` is not taken, or cannot be answered.
package struct WhereError: Error, Equatable, Sendable {
    /// What kind of fault it is; the edge turns it into a status.
    package enum Kind: Sendable {
        /// Not what Parse calls a query: Parse's code 102.
        case malformed
        /// An operand that its operator does not take: Parse's code 107.
        case operand
        /// A field name that no field has: Parse's code 105.
        case fieldName
        /// An operator that works elsewhere, or nowhere in this version.
        case unsupported
        /// A field that nobody may ask about: Parse's code 119.
        case forbidden
        /// More than one query may cost.
        case tooCostly
    }

    /// What kind of fault it is.
    package let kind: Kind
    /// Where in the query, such as `where.$or[1].price.$lt`.
    package let path: String
    /// The rest of a sentence that begins with the path.
    package let message: String

    init(_ kind: Kind, _ path: String, _ message: String) {
        self.kind = kind
        self.path = String(path.prefix(WhereError.pathLimit))
        self.message = message
    }

    /// A client's own names stand in the path: no answer grows with them.
    private static let pathLimit = 300
}

extension WhereError: CustomStringConvertible {
    /// A sentence for the client.
    package var description: String { "\(path) \(message)" }
}
