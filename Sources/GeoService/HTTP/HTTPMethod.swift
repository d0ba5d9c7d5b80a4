/// The methods that routes can be registered for.
package enum HTTPMethod: UInt8, CaseIterable, Sendable {
    case get, head, post, put, patch, delete, options

    /// The method of a request line; `nil` for those that no route can have.
    init?(_ name: String) {
        switch name {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        default: return nil
        }
    }

    /// The name as the protocol writes it.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        }
    }
}

/// A set of methods, for `Allow`.
struct MethodSet: Equatable, Sendable {
    private var bits: UInt8 = 0

    /// No method at all.
    var isEmpty: Bool { bits == 0 }

    mutating func insert(_ method: HTTPMethod) { bits |= 1 << method.rawValue }

    mutating func formUnion(_ other: MethodSet) { bits |= other.bits }

    func contains(_ method: HTTPMethod) -> Bool { bits & (1 << method.rawValue) != 0 }

    /// The names, separated as `Allow` wants them: `GET` brings `HEAD`, and `OPTIONS` is always there.
    var allowed: String {
        HTTPMethod.allCases
            .filter { contains($0) || $0 == .options || ($0 == .head && contains(.get)) }
            .map(\.name).joined(separator: ", ")
    }
}
