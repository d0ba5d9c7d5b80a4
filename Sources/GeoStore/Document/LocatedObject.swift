package import GeoIndex

/// What the index needs of one object with a place.
///
/// `kind` is the text field `kind` or else `category`; `weight` the number field `weight`, else 1;
/// `expiresAt` the date field `expiresAt`; `owner` the user that the pointer `author` or else
/// `owner` points to; the position is the class's only GeoPoint field.
package struct LocatedObject: Hashable, Sendable {
    /// The Date field that `expiresAt` is read of.
    package static let expiryField = "expiresAt"

    /// The object's id.
    package let objectId: String
    /// Where everybody sees it: no finer than its ``LocationAccuracy``.
    package let position: LonLat
    /// Where it is, as stored: for its owner and the master key.
    package let exactPosition: LonLat
    /// How finely its place may be shown; nil when it may be shown as it is.
    package let accuracy: LocationAccuracy?
    /// When it came into being.
    package let createdAt: Timestamp
    /// When it was last changed.
    package let updatedAt: Timestamp
    /// The first instant at which it is not shown any more.
    package let expiresAt: Timestamp?
    /// Who may read it.
    package let readers: ReaderSet
    /// True when everybody may read it.
    package var isPublic: Bool { readers.isEverybody }
    /// What kind of thing it is.
    package let kind: String?
    /// How much it counts for in density.
    package let weight: Double
    /// The id of the user that it belongs to.
    package let owner: String?
    /// A 64-bit mix of its fields as everybody sees them; changes when, and only when, they do.
    package let content: UInt64

    /// Gathers the view; the place that is shown follows from the exact one.
    init(
        objectId: String, exactPosition: LonLat, accuracy: LocationAccuracy?,
        createdAt: Timestamp, updatedAt: Timestamp, expiresAt: Timestamp?, readers: ReaderSet,
        kind: String?, weight: Double, owner: String?, content: UInt64
    ) {
        self.objectId = objectId
        self.exactPosition = exactPosition
        self.accuracy = accuracy
        position = accuracy?.shown(exactPosition) ?? exactPosition
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.expiresAt = expiresAt
        self.readers = readers
        self.kind = kind
        self.weight = weight
        self.owner = owner
        self.content = content
    }
}

/// What one write did to one object.
package struct DocumentChange: Hashable, Sendable {
    /// The object's class.
    package let className: String
    /// The object's id.
    package let objectId: String
    /// The object before; nil when it was created.
    package let before: Document?
    /// The object after; nil when it was deleted.
    package let after: Document?
    /// The index's view of `before`; nil when it had no place.
    package let locatedBefore: LocatedObject?
    /// The index's view of `after`; nil when it has no place.
    package let locatedAfter: LocatedObject?
}
