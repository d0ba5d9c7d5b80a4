/// Why a whole file cannot be read.
package enum ImportError: Error, Equatable, Sendable {
    /// There are no bytes, or only white space.
    case empty
    /// The bytes are UTF-16.
    case utf16
    /// The header of a table is not UTF-8.
    case headerNotUTF8
    /// The header of a table is longer than a header may be.
    case headerTooLong(limitBytes: Int)
    /// The header of a table has more columns than a table may have.
    case tooManyColumns(limit: Int)
    /// The header has no column for a coordinate.
    case noCoordinateColumn(coordinate: String, columns: [String])
    /// An option names a column that the header does not have.
    case noSuchColumn(option: String, name: String, columns: [String])
    /// No encoding has that name.
    case noSuchEncoding(name: String)
    /// PROJ knows no reference system of that code.
    case noSuchCRS(code: String)
    /// The reference system is not one of places on a map.
    case unsuitableCRS(code: String)
    /// The file says that it is in another reference system than it is read in.
    case statedCRS(name: String)
    /// The bytes up to `offset` are not a GeoJSON text.
    case structure(offset: Int, reason: String)
    /// The text up to a line is not the XML of a GPX file.
    case xml(line: Int, reason: String)
    /// The bytes end before the text does.
    case truncated(offset: Int)
    /// The bytes are not OpenStreetMap's, or end too early.
    case osm(reason: String)
    /// GDAL's program is not installed.
    case noConverter
    /// GDAL's program could not read the file.
    case conversion(reason: String)
    /// The system refused to open, read or write a file.
    case file(operation: String, code: Int32)
}

extension ImportError: CustomStringConvertible {
    /// A sentence that says what is wrong and what would be right.
    package var description: String {
        switch self {
        case .empty: "the file is empty"
        case .utf16: "the file is UTF-16: save it as UTF-8"
        case .headerNotUTF8: "the header line is not UTF-8: save the file as UTF-8"
        case .headerTooLong(let limit): "the header line is longer than \(limit) bytes"
        case .tooManyColumns(let limit): "the header has more than \(limit) columns"
        case .noCoordinateColumn(let coordinate, let columns):
            "there is no column for \(coordinate): the header names "
                + ImportError.list(columns) + "; say which one it is with the option \(coordinate)"
        case .noSuchColumn(let option, let name, let columns):
            "the option \(option) names the column \"\(name)\", but the header names "
                + ImportError.list(columns)
        case .noSuchEncoding(let name):
            "there is no encoding \"\(name.prefix(40))\": it must be a name that iconv knows, such "
                + "as windows-1252"
        case .noSuchCRS(let code):
            "\(code) is no coordinate reference system that PROJ knows"
        case .unsuitableCRS(let code):
            "\(code) is no reference system of places east and north, so nothing can be read in it"
        case .statedCRS(let name):
            "the file's crs member says that its coordinates are in \"\(name.prefix(80))\": say "
                + "which EPSG code to read them in with the option crs"
        case .structure(let offset, let reason): "not GeoJSON at byte \(offset): \(reason)"
        case .xml(let line, let reason): "not GPX at line \(line): \(reason)"
        case .truncated(let offset): "the file ends at byte \(offset), before its GeoJSON does"
        case .osm(let reason): "the file cannot be read as OpenStreetMap data: \(reason)"
        case .noConverter:
            "shapefiles and GeoPackages are read by GDAL's program ogr2ogr, which is not installed "
                + "(Debian: gdal-bin)"
        case .conversion(let reason):
            "GDAL cannot read the file" + (reason.isEmpty ? "" : ": \(reason.prefix(300))")
        case .file(let operation, let code):
            "the file cannot be \(operation) (system error \(code))"
        }
    }

    /// Names in quotes, as far as a message goes.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(40).map { "\"\($0.prefix(60))\"" }.joined(separator: ", ")
        return names.count > 40 ? shown + " and \(names.count - 40) more" : shown
    }
}
