package import GeoIndex

/// What the index needs of one object with a place.
///
/// `kind` is the text field `kind` or else `category`; `weight` the number field `weight`, else 1;
/// `expiresAt` the date field `expiresAt`; the position is the class's only GeoPoint field.
package struct LocatedObject: Hashable, Sendable {
    /// The object's id.
    package let objectId: String
    /// Where it is, as stored.
    package let position: LonLat
    /// When it came into being.
    package let createdAt: Timestamp
    /// When it was last changed.
    package let updatedAt: Timestamp
    /// When it ceases to be shown.
    package let expiresAt: Timestamp?
    /// True when everybody may read it.
    package let isPublic: Bool
    /// What kind of thing it is.
    package let kind: String?
    /// How much it counts for in density.
    package let weight: Double
    /// A 64-bit mix of its fields; changes when, and only when, they do.
    package let content: UInt64
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
