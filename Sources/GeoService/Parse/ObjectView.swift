import GeoIndex
import GeoStore
import JSONText

/// What a caller is shown of stored objects.
///
/// Without the master key, an object whose time is over is not there, and a place is no finer than
/// the object's `locationAccuracy` says, in answers and in orders.
struct ObjectView: Sendable {
    let identity: ParseIdentity
    /// The request's one reading of the clock.
    let now: Timestamp
    private let layers: LayerCatalog
    /// The permissions of the classes.
    let directory: PermissionDirectory
    /// The classes when the request came.
    let catalog: SchemaCatalog

    /// The view of a caller at this instant.
    init(
        _ identity: ParseIdentity, _ layers: LayerCatalog, _ directory: PermissionDirectory,
        _ catalog: SchemaCatalog
    ) {
        self.identity = identity
        self.layers = layers
        self.directory = directory
        self.catalog = catalog
        now = layers.now()
    }

    /// Which objects of a class are there for the caller, for finding or counting them.
    func scope(
        of className: String, for operation: ClassPermissions.Operation = .find
    ) -> ObjectScope {
        if identity.isMaster { return .all }
        return ObjectScope(
            readers: identity.principals, expiry: expiry(of: className),
            limit: limit(of: operation, on: className))
    }

    /// When objects of a class are gone; nil for classes that are no layers, whose fields mean
    /// nothing.
    private func expiry(of className: String) -> ObjectScope.Expiry? {
        layers.layer(named: className).map { layer in
            ObjectScope.Expiry(
                field: layer.settings.fields.expires ?? LocatedObject.expiryField, now: now)
        }
    }

    /// The index of the places of a class's public objects; nil where it does not tell all that
    /// the caller may see.
    ///
    /// - Parameter field: The GeoPoint field of the class.
    func places(of className: String, _ field: String) -> IndexSnapshot? {
        guard let layer = layers.layer(named: className) else { return nil }
        let fields = layer.settings.fields
        guard fields.location ?? field == field else { return nil }
        guard identity.isMaster else { return layer.current(at: now) }
        // What has expired by a field of the layer's own is in no column of the store.
        return fields.expires ?? LocatedObject.expiryField == LocatedObject.expiryField
            ? layer.current : nil
    }

    /// Where the caller's own objects are that others are shown elsewhere, by id.
    func owned(of className: String) -> [String: RoundedPosition] {
        guard let layer = layers.layer(named: className) else { return [:] }
        let objects = layer.hidden.ownedPlaces(by: identity.principals.userId)
        if objects.isEmpty { return [:] }
        let ids = layer.current
        return Dictionary(objects.map { (ids.objectId(of: $0.key), $0.place) }) { first, _ in first
        }
    }

    /// How finely the places of a class are shown at best to all but their owners.
    func leastAccuracy(of className: String) -> LocationAccuracy? {
        layers.layer(named: className)?.settings.fields.leastAccuracy
    }

    /// Whether an object's time is over for the caller.
    func isOver(_ document: Document) -> Bool {
        guard !identity.isMaster else { return false }
        return expiry(of: document.className)?.isOver(document) ?? false
    }

    /// An object as the caller sees it, without what is hidden from him; nil when it is not there.
    ///
    /// - Parameter operation: What the object is read for.
    func shown(
        _ document: Document, for operation: ClassPermissions.Operation = .get
    ) -> Document? {
        classView(of: document.className, for: operation).shown(document)
    }

    /// What the caller is shown of a class's objects, for one operation.
    func classView(
        of className: String, for operation: ClassPermissions.Operation
    ) -> ClassView {
        if identity.isMaster { return ClassView(principals: identity.principals) }
        return ClassView(
            principals: identity.principals, expiry: expiry(of: className),
            limit: limit(of: operation, on: className), permissions: permissions(of: className),
            fields: layers.layer(named: className)?.settings.fields ?? LayerFields())
    }

    /// Whose objects of a class are shown to the caller as they are stored; nil where something may
    /// have to be taken out of each.
    func stored(
        _ className: String, for operation: ClassPermissions.Operation = .get
    ) -> StoredView? {
        if identity.isMaster { return StoredView(identity.principals, now: nil) }
        guard !AccountFields.areHidden(in: className) else { return nil }
        return classView(of: className, for: operation).stored
    }

    /// An update of the caller's that shows nobody a finer place than the caller is shown.
    func keptCoarse(_ former: Document, _ after: Document) -> Document {
        let fields = layers.layer(named: former.className)?.settings.fields ?? LayerFields()
        return fields.keptCoarse(former, after, by: identity.principals)
    }

    /// An object that the caller may change or delete; nil when it is not there.
    func writable(
        _ document: Document, for operation: ClassPermissions.Operation
    ) -> Document? {
        identity.mayWrite(document.acl) && !isOver(document) && mayDo(operation, with: document)
            ? document : nil
    }

    /// An order without keys that would tell exact places; a place has no order of its own.
    ///
    /// - Parameter place: The GeoPoint field of the class.
    func order(_ order: [ObjectOrder], placedBy place: String?) -> [ObjectOrder] {
        guard !identity.isMaster, let place else { return order }
        return order.filter { key in
            if case .field(let names) = key.key { names.first != place } else { true }
        }
    }
}
