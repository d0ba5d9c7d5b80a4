package import GeoIndex
import JSONText

/// Looks for what is probably wrong with a file although every row can be stored.
///
/// Memory is bounded: 2 MiB, whatever the file.
package struct WarningCollector: Sendable {
    private var located = 0
    private var atOrigin = 0
    /// Geometries that go on past a pole.
    private var offTheGlobe = 0
    private var spots = SpotCounter()
    /// Whether every pair of coordinates, taken or not, would be a position when swapped.
    private var allFitSwapped = true
    private var fitsOnlySwapped = 0
    private var bounds = PlaneBounds()
    private let namesDisagree: Bool

    /// Creates a collector.
    ///
    /// - Parameter options: Whose columns' names may disagree with their role.
    package init(options: ImportOptions = ImportOptions()) {
        let lon = options.lonColumn?.lowercased() ?? ""
        let lat = options.latColumn?.lowercased() ?? ""
        namesDisagree =
            ["lat", "latitude", "y"].contains(lon)
            || ["lon", "lng", "longitude", "x"].contains(lat)
    }

    /// Looks at what a source has read.
    package mutating func add(_ batch: RowBatch) {
        for row in batch.rows {
            guard let position = row.position else {
                if row.fields.contains("geometry") { offTheGlobe += 1 }
                continue
            }
            located += 1
            if position.lon == 0 && position.lat == 0 { atOrigin += 1 }
            if abs(position.lon) > 90 { allFitSwapped = false }
            bounds.add(lon: position.lon, lat: position.lat)
            spots.add(RoundedPosition(position))
        }
        for rejection in batch.rejections {
            guard case .outOfRange(_, let lon, let lat) = rejection.reason else { continue }
            if (-90...90).contains(lon) && (-180...180).contains(lat) {
                fitsOnlySwapped += 1
                bounds.add(lon: lon, lat: lat)
            } else {
                allFitSwapped = false
            }
        }
    }

    /// The warnings, one sentence each.
    ///
    /// - Parameter extent: Where the layer's other objects lie, when there are any: rows that lie
    ///   nearer to it when swapped are suspicious.
    package func warnings(layerExtent extent: BoundingBox? = nil) -> [String] {
        var warnings: [String] = []
        if atOrigin > 0 { warnings.append("\(WarningCollector.rows(atOrigin)) at (0,0)") }
        if offTheGlobe > 0 {
            warnings.append(
                "\(WarningCollector.rows(offTheGlobe)) with a geometry that leaves the globe: kept "
                    + "without a place")
        }
        if looksSwapped(extent) {
            warnings.append("all rows would fit with lon and lat swapped")
        }
        if spots.repeated > 0 {
            let least = spots.isFull ? "at least " : ""
            warnings.append(
                "\(least)\(WarningCollector.rows(spots.repeated)) at the same spot as an earlier row"
            )
        }
        return warnings
    }

    private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

    private func looksSwapped(_ extent: BoundingBox?) -> Bool {
        guard allFitSwapped, located + fitsOnlySwapped > 0 else { return false }
        if namesDisagree || fitsOnlySwapped > 0 { return true }
        guard let extent else { return false }
        return bounds.swapped.distance(to: extent) < bounds.distance(to: extent)
    }
}

/// The smallest box round pairs of coordinates on the plane, in degrees.
private struct PlaneBounds: Sendable {
    var west = Double.infinity
    var south = Double.infinity
    var east = -Double.infinity
    var north = -Double.infinity

    mutating func add(lon: Double, lat: Double) {
        west = min(west, lon)
        east = max(east, lon)
        south = min(south, lat)
        north = max(north, lat)
    }

    var swapped: PlaneBounds { PlaneBounds(west: south, south: west, east: north, north: east) }

    /// How far the box's middle lies outside another box, in degrees.
    func distance(to extent: BoundingBox) -> Double {
        let lon = LonLat.wrapped(degreesEast: (west + east) / 2)
        let lat = (south + north) / 2
        let isInside =
            extent.crossesAntimeridian
            ? lon >= extent.west || lon <= extent.east : (extent.west...extent.east).contains(lon)
        let aside = isInside ? 0 : min(turn(lon, extent.west), turn(lon, extent.east))
        return aside + max(0, extent.south - lat, lat - extent.north)
    }

    /// The difference of two longitudes round the shorter side.
    private func turn(_ one: Double, _ other: Double) -> Double {
        let difference = abs(one - other)
        return min(difference, 360 - difference)
    }
}

/// Counts positions that came before, in a table of fixed size.
private struct SpotCounter: Sendable {
    /// 2^18 places of 8 bytes; three quarters are filled.
    private static let placeCount = 1 << 18
    private static let placeLimit = placeCount / 4 * 3

    private var places: [UInt64] = []
    private var used = 0
    /// How many positions equal an earlier one that is remembered.
    private(set) var repeated = 0

    /// Whether later positions were not remembered.
    var isFull: Bool { used >= SpotCounter.placeLimit }

    mutating func add(_ position: RoundedPosition) {
        if places.isEmpty { places = Array(repeating: 0, count: SpotCounter.placeCount) }
        let lon = UInt64(UInt32(bitPattern: position.lonE7))
        // No position has all bits set, so the key of one is never zero.
        let key = ~(lon << 32 | UInt64(UInt32(bitPattern: position.latE7)))
        // Multiplicative hashing wraps on purpose.
        var place = Int((key &* 0x9e37_79b9_7f4a_7c15) >> 46)
        while places[place] != 0 {
            if places[place] == key {
                repeated += 1
                return
            }
            place = (place + 1) % SpotCounter.placeCount
        }
        guard !isFull else { return }
        places[place] = key
        used += 1
    }
}
