import GeoStore
import JSONText

/// What of accounts is not for everybody who may read an object.
enum AccountFields {
    /// Takes out what is not for a caller: the address of another user, and the list by which a
    /// session is its user's.
    static func hide(in document: inout Document, from identity: ParseIdentity) {
        switch document.className {
        case AccountNames.user where identity.principals.userId != document.objectId:
            document.fields.removeValue(forKey: "email")
        case AccountNames.session: document.acl = nil
        default: break
        }
    }
}
