package import GeoIndex
import Glibc
package import JSONText

/// How finely an object's place may be shown, in metres: its field `locationAccuracy`.
///
/// What is shown is the centre of the cell of a fixed grid in which the place lies, so that moving
/// within the cell shows nowhere. Level n of the grid has 2^n rows of equal height from pole to
/// pole. A row is cut into the most columns, a power of two, that are at its narrow edge no
/// narrower than it is high; a row at a pole is one cell. A place is shown on the deepest level
/// whose rows are at least its accuracy high, at most level 26 (0.3 m), so that a cell measures
/// from one to two accuracies from south to north, and from one to about six across.
///
/// Each level cuts the cells of the one before: whoever changes the accuracy again and again tells
/// no more than the least accuracy among them.
///
///     let accuracy = LocationAccuracy(meters: 500)
///     accuracy?.shown(try LonLat(lon: 13.405, lat: 52.52))  // 13.4088134, 52.517395
package struct LocationAccuracy: Hashable, Sendable {
    /// The field's name.
    package static let fieldName = "locationAccuracy"
    /// The greatest accuracy, in metres.
    package static let greatestMeters = 1_000_000.0

    /// Half of a meridian circle's length, pole to pole, on the sphere of distances.
    private static let poleToPoleMeters = Double.pi * SphericalGeodesy.earthRadiusMeters
    private static let deepestLevel: UInt64 = 26
    /// Units of 1e-7 degree from pole to pole; twice as many go round the equator.
    private static let poleToPoleE7: UInt64 = 1_800_000_000

    /// The accuracy; above 0.
    package let meters: Double
    /// The level of the grid.
    private let level: UInt64

    /// An accuracy; nil unless it is above 0 and at most ``greatestMeters``.
    package init?(meters: Double) {
        guard meters > 0, meters <= LocationAccuracy.greatestMeters else { return nil }
        self.init(inRange: meters)
    }

    private init(inRange meters: Double) {
        self.meters = meters
        var level: UInt64 = 0
        var height = LocationAccuracy.poleToPoleMeters
        while level < LocationAccuracy.deepestLevel, height / 2 >= meters {
            height /= 2
            level += 1
        }
        self.level = level
    }

    /// The coarsest of all: the whole globe has some hundreds of such cells.
    package static let coarsest = LocationAccuracy(inRange: greatestMeters)

    /// What a field's value says; nil for null and 0, which show the place as it is.
    ///
    /// - Throws: ``FieldValueError/locationAccuracy`` for anything but a number of metres from 0 to
    ///   ``greatestMeters``.
    package init?(_ value: JSONValue?) throws(FieldValueError) {
        guard let value, !value.isNull else { return nil }
        guard let meters = value.doubleValue, (0...LocationAccuracy.greatestMeters).contains(meters)
        else { throw .locationAccuracy }
        self.init(meters: meters)
    }

    /// How finely the place of a stored object is shown; nil is as it is.
    ///
    /// A value that says nothing is refused when it is written, so that only older data has one.
    /// Its writer meant to hide something: the place is shown as coarsely as can be.
    package static func stored(_ value: JSONValue?) -> LocationAccuracy? {
        do {
            return try LocationAccuracy(value)
        } catch {
            return coarsest
        }
    }

    /// The coarser one of two; nil when both are none.
    package static func coarser(
        _ one: LocationAccuracy?, _ other: LocationAccuracy?
    ) -> LocationAccuracy? {
        guard let one, let other else { return one ?? other }
        return one.meters < other.meters ? other : one
    }

    /// The place that is shown for a place: always on the 1e-7° grid.
    package func shown(_ position: LonLat) -> LonLat {
        let exact = RoundedPosition(position)
        let rows = UInt64(1) << level
        let north = UInt64(Int64(exact.latE7) + 900_000_000)
        // At most 2^26 · 1.8e9 < 2^57. The pole itself belongs to the last row.
        let row = min(north * rows / LocationAccuracy.poleToPoleE7, rows - 1)
        let columns = LocationAccuracy.columns(ofRow: row, level: level)
        // 180° east is 180° west.
        let turn = 2 * LocationAccuracy.poleToPoleE7
        let east = UInt64(Int64(exact.lonE7) + 1_800_000_000) % turn
        let column = east * columns / turn
        // Less than a turn each, so within 32 bits.
        let shown = RoundedPosition(
            lonE7: Int32(Int64((2 * column + 1) * turn / (2 * columns)) - 1_800_000_000),
            latE7: Int32(
                Int64((2 * row + 1) * LocationAccuracy.poleToPoleE7 / (2 * rows)) - 900_000_000))
        // Degrees of units on the globe are on the globe.
        return (try? LonLat(lon: shown.lon, lat: shown.lat)) ?? position
    }

    /// How many columns a row has: the greatest power of two that is at most
    /// 2^(level + 1) · cos(latitude of the edge that is nearer to a pole).
    private static func columns(ofRow row: UInt64, level: UInt64) -> UInt64 {
        let rows = UInt64(1) << level
        // Rows are alike in both halves; counted from the pole here.
        let fromPole = min(row, rows - 1 - row)
        guard fromPole > 0 else { return 1 }
        let angle = Double(fromPole) / Double(rows) * Double.pi
        let most = Double(2 * rows) * sin(angle)
        var columns: UInt64 = 1
        while Double(2 * columns) <= most { columns *= 2 }
        return columns
    }
}

extension Document {
    /// The field in which an import keeps a geometry that is more than a point.
    package static let geometryField = "geometry"

    /// The document as everybody but its owner and the master key sees it: its place is no finer
    /// than its `locationAccuracy` says. The same value when it says nothing. O(fields).
    package var shown: Document { shown(atLeast: nil) }

    /// The same with an accuracy at best, whatever it says. O(fields).
    package func shown(atLeast least: LocationAccuracy?) -> Document {
        let own = fields[LocationAccuracy.fieldName].flatMap { LocationAccuracy.stored($0) }
        guard let accuracy = LocationAccuracy.coarser(own, least), let location else { return self }
        var shown = self
        shown.fields[location.field] = GeoPointField.json(accuracy.shown(location.position))
        // An imported line or area would tell what the point must not.
        shown.fields[Document.geometryField] = nil
        return shown
    }
}
