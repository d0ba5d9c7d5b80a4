import GeoIndex
import GeoStore
import JSONText

extension LayerFields {
    /// Whether the index is told something that the store keeps in no column of its own, so that
    /// it has to be read of an object's fields. The defaults are all in columns.
    var needDocuments: Bool { self != LayerFields() }

    /// What the index is told of an object, as those see it who may read it and do not own it; nil
    /// when it has no place on the map.
    ///
    /// - Parameters:
    ///   - located: The store's own view of the object.
    ///   - document: The object; only read when ``needDocuments`` says so.
    /// - Complexity: O(fields of the object) when its document is read, else O(1).
    func placement(of located: LocatedObject, _ document: @autoclosure () -> Document?)
        -> Placement?
    {
        guard needDocuments, let document = document() else { return Placement(located) }
        let fields = document.fields
        // A class has one GeoPoint field at most; under another name it is not the layer's.
        if let location, document.location?.field != location { return nil }
        var placement = Placement(located)
        if areUsers {
            placement.position = RoundedPosition(
                accuracy(of: located)?.shown(located.exactPosition) ?? located.position)
            placement.content = document.shown(atLeast: leastAccuracy).contentHash
            placement.owner = Placement.owner(document.objectId)
        }
        if let kind { placement.kind = Placement.kind(fields[kind]?.stringValue) }
        if let weight { placement.weight = fields[weight]?.doubleValue ?? 1 }
        switch time {
        case nil, "createdAt": break
        case "updatedAt": placement.time = document.updatedAt.milliseconds
        case let name?:
            placement.time = fields[name]?.dateValue?.milliseconds ?? placement.time
        }
        if let expires { placement.expires = fields[expires]?.dateValue?.milliseconds }
        if let owner, !areUsers { placement.owner = Placement.owner(fields[owner]?.userID) }
        placement.values = aggregatedFields.map {
            fields[$0]?.doubleValue.flatMap { FixedPoint.units(of: $0) }
        }
        return placement
    }

    /// How finely an object's place is shown to others; nil is as it is.
    func accuracy(of located: LocatedObject) -> LocationAccuracy? {
        LocationAccuracy.coarser(located.accuracy, leastAccuracy)
    }
}

extension Placement {
    /// The longest kind, in bytes of UTF-8. Kinds stand in every answer about a layer, so that a
    /// longer text counts as none.
    static let kindLimitBytes = 128

    /// What the index keeps of a stored object whose layer says nothing else.
    init(_ object: LocatedObject) {
        self.init(
            position: RoundedPosition(object.position), kind: Placement.kind(object.kind),
            weight: object.weight, time: object.createdAt.milliseconds, content: object.content,
            expires: object.expiresAt?.milliseconds, owner: Placement.owner(object.owner))
    }

    fileprivate static func kind(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= kindLimitBytes ? $0 : nil }
    }

    /// The hash of a user's id; 0 for nobody, and never for somebody.
    fileprivate static func owner(_ id: String?) -> UInt64 {
        guard let id else { return 0 }
        var hash = StableHash()
        hash.combine(bytes: id.utf8)
        return max(hash.value, 1)
    }
}
