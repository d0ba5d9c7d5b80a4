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
    /// A route or track has more positions than are taken.
    case tooManyPositions(limit: Int)
    /// The attributes of a GPX point are not its coordinates.
    case pointWithoutCoordinates(element: String)
    /// The cell of a coordinate is empty.
    case noPlace(column: String)
    /// The cell of a coordinate or a geometry is none.
    case notACoordinate(column: String, wanted: String)
    /// A geometry states another reference system than the file's.
    case otherCRS(column: String, srid: Int, expected: String)
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
        case .tooManyPositions(let limit): "it has more than \(limit) positions"
        case .pointWithoutCoordinates(let element):
            "a \(element) has no attributes lat and lon that are decimal numbers"
        case .noPlace(let column): "\(column) is empty, so the row has no place"
        case .notACoordinate(let column, let wanted): "\(column) is not \(wanted)"
        case .otherCRS(let column, let srid, let expected):
            "\(column) states the reference system \(srid), but the file is read as \(expected)"
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
