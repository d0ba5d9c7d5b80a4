import GeoIndex
import GeoStore
import JSONText

/// An object that not everybody sees, or not as it is.
struct HiddenObject: Sendable {
    /// Who may read it.
    let readers: ReaderSet
    /// What it is on the map of those who may read it; nil when everybody may.
    let shown: Placement?
    /// What it is on its owner's map; nil when that is the same.
    let exact: Placement?
    /// The user that it belongs to.
    let owner: String?
    /// Where it is for everybody but its owner.
    let place: RoundedPosition
}

/// What a committed change of one object is to a layer.
struct LayerEdit: Sendable {
    let id: String
    /// What the object is on the map of everybody; nil when it is not on it.
    let placement: Placement?
    /// What it is to some; nil when it is the same to all.
    let hidden: HiddenObject?

    /// The change of the layer's index.
    var objectEdit: ObjectEdit { ObjectEdit(id: id, placement: placement) }
}

extension LayerFields {
    /// What a committed change is to a layer; nil when it is nothing.
    func layerEdit(of change: DocumentChange) -> LayerEdit? {
        if let after = change.locatedAfter, let document = change.after {
            let placement = placement(of: after, document)
            return LayerEdit(
                id: after.objectId, placement: after.isPublic ? placement : nil,
                hidden: hidden(after, document))
        }
        guard change.locatedBefore != nil else { return nil }
        return LayerEdit(id: change.objectId, placement: nil, hidden: nil)
    }

    /// What an object is to some; nil when it is the same to all, or to nobody anything.
    func hidden(_ located: LocatedObject, _ document: Document) -> HiddenObject? {
        guard !located.readers.isNobody, !located.isPublic || accuracy(of: located) != nil,
            let shown = placement(of: located, document)
        else { return nil }
        let owner = owner(of: document)
        let exact = exact(located, document, shown: shown)
        if located.isPublic && exact == nil { return nil }
        return HiddenObject(
            readers: located.readers, shown: located.isPublic ? nil : shown, exact: exact,
            owner: owner, place: shown.position)
    }

    /// What an object is on its owner's map; nil when that is what others are shown, or it is
    /// nobody's.
    func exact(
        _ located: LocatedObject, _ document: Document, shown: Placement
    ) -> Placement? {
        guard accuracy(of: located) != nil, owner(of: document) != nil else { return nil }
        var placement = shown
        placement.position = RoundedPosition(located.exactPosition)
        placement.content = document.contentHash
        return placement
    }

    /// The id of the user that an object belongs to.
    func owner(of document: Document) -> String? {
        if areUsers { return document.objectId }
        if let owner { return document.fields[owner]?.userID }
        return document.fields["author"]?.userID ?? document.fields["owner"]?.userID
    }

    /// An object as a caller sees it who may read it: its owner as it is, others no finer than its
    /// accuracy.
    func shown(_ document: Document, to caller: Principals) -> Document {
        if caller.isMaster { return document }
        if let user = caller.userId,
            areUsers || document.fields[LocationAccuracy.fieldName] != nil,
            owner(of: document) == user
        {
            return document
        }
        return document.shown(atLeast: leastAccuracy)
    }
}
