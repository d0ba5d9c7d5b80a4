package import GeoImport

/// Why an option of how a file is read cannot be what it is.
package struct TableOptionError: Error, CustomStringConvertible {
    /// The rest of a sentence that begins with the name of the option.
    package let description: String
}

extension ImportOptions {
    /// Sets an option of how a file is read by its name, which is the same in a request and on the
    /// command line: `wkt`, `crs`, `header`, `delimiter`, `encoding`.
    ///
    /// - Throws: ``TableOptionError``, which says what would be right.
    package mutating func set(_ name: String, _ value: String) throws(TableOptionError) {
        switch name {
        case "wkt":
            guard !value.isEmpty else {
                throw TableOptionError(description: "must be the name of a column")
            }
            wktColumn = value
        case "crs":
            guard let code = CRSCode(value) else {
                throw TableOptionError(description: "must be a code such as EPSG:25832")
            }
            do throws(ImportError) {
                try code.check()
            } catch {
                throw TableOptionError(description: "cannot be used: \(error)")
            }
            crs = code
        case "header":
            guard value == "true" || value == "false" else {
                throw TableOptionError(description: "must be true or false")
            }
            hasHeader = value == "true"
        case "delimiter":
            guard let byte = ImportOptions.delimiter(named: value) else {
                throw TableOptionError(description: "must be comma, semicolon, tab or pipe")
            }
            delimiter = byte
        case "encoding":
            do throws(ImportError) {
                encoding = try TextEncoding(named: value)
            } catch {
                throw TableOptionError(
                    description: "must be a name that iconv knows, such as windows-1252")
            }
        default: throw TableOptionError(description: "is no option of a table")
        }
    }

    /// The options of ``set(_:_:)`` that are not the defaults.
    var tableItems: [(name: String, value: String)] {
        var items: [(String, String)] = []
        if let wktColumn { items.append(("wkt", wktColumn)) }
        if let crs { items.append(("crs", crs.text)) }
        if let hasHeader { items.append(("header", hasHeader ? "true" : "false")) }
        if let delimiter, let name = ImportOptions.delimiterName(delimiter) {
            items.append(("delimiter", name))
        }
        if let encoding { items.append(("encoding", encoding.name)) }
        return items
    }
}
