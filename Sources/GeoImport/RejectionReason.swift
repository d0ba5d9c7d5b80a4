import GeoIndex
package import JSONText

/// Why a row was not taken.
package enum RejectionReason: Equatable, Sendable {
    /// A record has more or fewer cells than the header.
    case columnCount(found: Int, expected: Int)
    /// A cell is not UTF-8.
    case notUTF8(column: String)
    /// A quote was opened and never closed.
    case unclosedQuote
    /// A quoted cell goes on after its closing quote.
    case textAfterQuote
    /// A record or feature is longer than it may be.
    case tooLong(limitBytes: Int)
    /// The cell of a coordinate is empty.
    case noPlace(column: String)
    /// The cell of a coordinate is not a number.
    case notANumber(column: String)
    /// A coordinate is out of range. Both are kept, for the warning about swapped columns.
    case outOfRange(column: String, lon: Double, lat: Double)
    /// A field has the name of the field that the class keeps its places in.
    case fieldOfPlace(name: String)
    /// The bytes of a feature are not JSON.
    case json(JSONError)
    /// The JSON is not a GeoJSON feature or geometry.
    case geoJSON(GeoJSONError)
    /// The object of an OpenStreetMap file has no place.
    case osm(id: String, OSMProblem)
}

extension RejectionReason: CustomStringConvertible {
    /// A sentence that says what is wrong.
    package var description: String {
        switch self {
        case .columnCount(let found, let expected):
            "the record has \(found) cells, but the header has \(expected)"
        case .notUTF8(let column): "\(column) is not UTF-8"
        case .unclosedQuote: "a quote is opened and never closed"
        case .textAfterQuote: "a quoted cell goes on after its closing quote"
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .noPlace(let column): "\(column) is empty, so the row has no place"
        case .notANumber(let column): "\(column) is not a decimal number"
        case .outOfRange(let column, let lon, let lat):
            switch RejectionReason.coordinateError(lon: lon, lat: lat) {
            case .some(let error): "\(column): \(error)"
            case .none: "\(column) is out of range"
            }
        case .fieldOfPlace(let name):
            "\(name) is the field that this layer keeps its places in: rename the column"
        case .json(let error): error.description
        case .geoJSON(let error): error.description
        case .osm(let id, let problem): "\(id): \(problem)"
        }
    }

    private static func coordinateError(lon: Double, lat: Double) -> CoordinateError? {
        do throws(CoordinateError) {
            _ = try LonLat(lon: lon, lat: lat)
            return nil
        } catch {
            return error
        }
    }
}
