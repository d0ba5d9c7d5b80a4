import GeoStore
import JSONText

/// What of accounts is not for everybody who may read an object.
enum AccountFields {
    /// The fields of users that are hidden from others, whatever permissions say of everybody.
    static let protected: Set<String> = ["email"]

    /// The fields of users that are in no answer of the map, not even in the user's own.
    static let neverOnMaps: Set<String> = ["email", "emailVerified", AccountNames.authData]

    /// Whether ``hide(in:)`` takes something out of objects of a class.
    static func areHidden(in className: String) -> Bool { className == AccountNames.session }

    /// Takes out what no client is shown: the list by which a session is its user's.
    static func hide(in document: inout Document) {
        if areHidden(in: document.className) { document.acl = nil }
    }
}
