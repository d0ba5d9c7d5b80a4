/// A length on the ground. Made and read in the unit that one names.
public struct Distance: Hashable, Comparable, Sendable {
    /// The length in metres.
    public let meters: Double

    /// A length in metres.
    public static func meters(_ value: Double) -> Distance { Distance(meters: value) }
    /// A length in kilometres.
    public static func kilometers(_ value: Double) -> Distance { Distance(meters: value * 1000) }

    /// The length in kilometres.
    public var kilometers: Double { meters / 1000 }

    /// Shorter first.
    public static func < (left: Distance, right: Distance) -> Bool { left.meters < right.meters }
}
