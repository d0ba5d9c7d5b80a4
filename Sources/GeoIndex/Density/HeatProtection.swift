/// What may be told of the heat of objects that nobody in particular may look at: sums over so many
/// distinct owners each, out of which no other sum can be made.
///
/// The objects are put into *shares*, each a quadtree cell and a span of whole hours with objects
/// of at least ``minOwners`` owners, from the finest cells to the coarsest. In a cell, from its last
/// hour back, hours are put together until they have enough owners; what is left over goes on to the
/// cell that holds this one, and what no cell has enough owners for is told nowhere. So shares do
/// not depend on what is asked, no object is in two of them, and every answer (zoom, box, window,
/// half-life) is put together of whole shares: whatever is subtracted from what, the rest is
/// made of whole shares too. A cell of a zoom shows something when, and only when, it has enough
/// owners.
///
/// Sources: L. Sweeney, "k-anonymity: a model for protecting privacy", Int. J. Uncertainty,
/// Fuzziness and Knowledge-Based Systems 10, 2002; M. Gruteser, D. Grunwald, "Anonymous usage of
/// location-based services through spatial and temporal cloaking", MobiSys 2003, for the quadtree.
public struct HeatProtection: Hashable, Sendable {
    /// The zoom whose fixed cells are the finest: 38 m at the equator. Deeper zooms show these.
    public static let finestZoom: UInt8 = 16
    static let finestLevel = HeatOptions.fixedLevel(zoom: finestZoom)
    /// Milliseconds of an hour.
    public static let millisecondsPerHour: Int64 = 3_600_000

    /// How many distinct owners a share must have.
    public let minOwners: Int
    /// The first hour that is asked for, counted from 1970; nil is from the beginning.
    public let sinceHour: Int64?
    /// The first hour that is not asked for any more; nil is to the end.
    public let untilHour: Int64?
    /// How weights fade, by the age of a share's last hour; nil when they do not.
    public let decay: TimeDecay?

    /// Creates a protection.
    ///
    /// - Parameters:
    ///   - halfLifeHours: After how many hours a share counts half; nil is never.
    ///   - nowMilliseconds: The request's one reading of the clock; its hour counts.
    /// - Precondition: the owners are in `1...HeatOptions.mostOwners`, the half-life in minutes is in
    ///   ``TimeDecay/halfLivesMinutes``.
    public init(
        minOwners: Int, sinceHour: Int64? = nil, untilHour: Int64? = nil,
        halfLifeHours: Int64? = nil, nowMilliseconds: Int64
    ) {
        precondition(
            (1...HeatOptions.mostOwners).contains(minOwners), "\(minOwners) owners protect nobody")
        self.minOwners = minOwners
        self.sinceHour = sinceHour
        self.untilHour = untilHour
        decay = halfLifeHours.map {
            TimeDecay(
                halfLifeMinutes: $0 * 60,
                nowMilliseconds: HeatProtection.hour(ofMilliseconds: nowMilliseconds)
                    * HeatProtection.millisecondsPerHour)
        }
    }

    /// The hour of a time, rounded down, also before 1970.
    public static func hour(ofMilliseconds time: Int64) -> Int64 {
        let (quotient, rest) = time.quotientAndRemainder(dividingBy: millisecondsPerHour)
        return rest < 0 ? quotient - 1 : quotient
    }

    /// The level of the cells that a zoom shows.
    public static func level(zoom: UInt8) -> UInt8 {
        min(HeatOptions.fixedLevel(zoom: zoom), finestLevel)
    }

    /// Whether a share lies in what is asked for.
    func asksFor(_ hours: ClosedRange<Int64>) -> Bool {
        hours.lowerBound >= sinceHour ?? .min && (untilHour.map { hours.upperBound < $0 } ?? true)
    }
}

/// A cell with what may be told of it.
public struct ProtectedCell: Hashable, Sendable {
    /// The number of the quadtree cell of ``HeatProtection/level(zoom:)``.
    public let key: UInt64
    /// Σ weight in units of 1/256, as it is left by fading.
    public internal(set) var weight: UInt64
    /// How many objects the shares have.
    public internal(set) var count: Int
}
