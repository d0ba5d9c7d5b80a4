/// An object as it comes to the index.
public struct Placement: Sendable, Hashable {
    /// Where it is.
    public var position: RoundedPosition
    /// Its kind, if it has one.
    public var kind: String?
    /// Its weight in heat maps; 1 unless the object says otherwise.
    public var weight: Double
    /// Its time, in milliseconds since 1970.
    public var time: Int64
    /// A hash of all its readable fields.
    public var content: UInt64
    /// The first instant at which it is gone from every answer, in milliseconds since 1970; nil
    /// when it stays.
    public var expires: Int64?
    /// A hash of the id of whom it belongs to; 0 when it belongs to nobody.
    public var owner: UInt64
    /// Its values of the layer's aggregated fields, in their order, in units of ``FixedPoint``;
    /// nil for a field that it has not. Empty in a layer without aggregates.
    public var values: [Int64?]

    /// Creates a placement.
    public init(
        position: RoundedPosition, kind: String? = nil, weight: Double = 1, time: Int64 = 0,
        content: UInt64 = 0, expires: Int64? = nil, owner: UInt64 = 0, values: [Int64?] = []
    ) {
        self.position = position
        self.kind = kind
        self.weight = weight
        self.time = time
        self.content = content
        self.expires = expires
        self.owner = owner
        self.values = values
    }
}

/// Numbers of aggregated fields as whole millionths, so that sums are exact in any order.
public enum FixedPoint {
    /// Units that make one.
    public static let unitsPerOne: Int64 = 1_000_000

    /// The nearest fixed-point number; nil for what is no number or beyond ±9·10¹².
    public static func units(of value: Double) -> Int64? {
        guard (-9e12...9e12).contains(value) else { return nil }
        return Int64((value * Double(unitsPerOne)).rounded())
    }
}
