import GeoStore
import JSONText

/// What a caller is shown of one class's objects for one operation: all that is the same for each
/// of them, looked up once.
struct ClassView: Sendable {
    /// Who asks.
    let principals: Principals
    /// When objects are gone; nil is never.
    var expiry: ObjectScope.Expiry?
    /// The objects to which permissions limit the caller; nil is all.
    var limit: PointerLimit?
    /// Which fields are hidden from whom.
    var permissions = ClassPermissions.open
    /// Which field tells an object's owner.
    var fields = LayerFields()

    /// Whose objects are shown as they are stored; nil where something of one may be hidden for
    /// another reason than its access list, its accuracy and ``LocatedObject/expiryField``.
    var stored: StoredView? {
        guard limit == nil, permissions.hidesNothing(from: principals), fields.leastAccuracy == nil,
            (expiry?.field ?? LocatedObject.expiryField) == LocatedObject.expiryField
        else { return nil }
        return StoredView(principals, now: expiry?.now)
    }

    /// An object as the caller sees it, without what is hidden from him; nil when it is not there.
    func shown(_ document: Document) -> Document? {
        guard !principals.isMaster else { return document }
        guard principals.mayRead(document.acl), !(expiry?.isOver(document) ?? false),
            limit?.covers(document) ?? true
        else { return nil }
        var shown = fields.shown(document, to: principals)
        let hidden = permissions.hiddenFields(of: document, from: principals)
        if !hidden.isEmpty { shown.fields.removeValues(forKeys: hidden) }
        AccountFields.hide(in: &shown)
        return shown
    }
}
