/// What the reader of a file has to know beside its bytes.
package struct ImportOptions: Hashable, Sendable {
    /// The column of the longitude, by its name or its number from 1; nil to find it, see
    /// ``CoordinateNames``.
    package var lonColumn: String?
    /// The column of the latitude; nil to find it.
    package var latColumn: String?
    /// The column or property of the id; nil for `id` or `objectId` in a table, and for the
    /// feature's own id in GeoJSON.
    package var idColumn: String?
    /// The column or property that becomes the field `kind`.
    package var kindColumn: String?
    /// Which objects of an OpenStreetMap file are taken.
    package var tags = OSMTagFilter.places
    /// The column of geometries in Well-Known Text; nil to find it where no columns of coordinates
    /// are.
    package var wktColumn: String?
    /// Whether the first line of a table names the columns; nil to find it out.
    package var hasHeader: Bool?
    /// What stands between the cells of a table; nil to find it out.
    package var delimiter: UInt8?
    /// How a table's bytes stand for characters; nil to find it out.
    package var encoding: TextEncoding?
    /// The reference system of the coordinates; nil for degrees in WGS 84.
    package var crs: CRSCode?
    /// What a reader holds at most.
    package var limits = ImportLimits()

    /// The defaults.
    package init() {}

    /// A new transformation out of the file's reference system; nil when it is WGS 84 already.
    ///
    /// - Throws: ``ImportError`` when there is no such system.
    func transform() throws(ImportError) -> CoordinateTransform? {
        guard let crs, crs != .wgs84 else { return nil }
        return try CoordinateTransform(from: crs)
    }
}

/// What a reader holds at most. More than that is a rejected row, or an error in a header.
package struct ImportLimits: Hashable, Sendable {
    /// The longest record of a table: 1 MiB.
    package var recordBytes = 1 << 20
    /// The longest header of a table: 64 KiB.
    package var headerBytes = 64 << 10
    /// The most columns of a table.
    package var columns = 1024
    /// The longest GeoJSON feature, or other member of the collection: 16 MiB.
    package var featureBytes = 16 << 20
    /// How deep a GeoJSON feature may nest.
    package var depth = 128

    /// The defaults.
    package init() {}
}

/// The format of a file.
package enum ImportFormat: String, CaseIterable, Sendable {
    /// A table with a header: commas, semicolons or tabs.
    case csv
    /// One GeoJSON text: a FeatureCollection, Feature or geometry.
    case geojson
    /// One GeoJSON feature on each line, or an RFC 8142 sequence.
    case geojsonl
    /// OpenStreetMap: PBF or XML, plain or packed.
    case osm
    /// Waypoints, routes and tracks.
    case gpx
    /// A shapefile: its main file, a zip archive, or a folder; read by GDAL.
    case shapefile
    /// A GeoPackage, read by GDAL.
    case geopackage

    /// Whether GDAL turns it into lines of GeoJSON first.
    package var isConverted: Bool { self == .shapefile || self == .geopackage }

    /// The format that a file's name ends in; nil when the ending says nothing.
    package init?(fileName: String) {
        let name = fileName.lowercased()
        if name.hasSuffix(".osm.gz") || name.hasSuffix(".osm.bz2") {
            self = .osm
            return
        }
        switch name.split(separator: ".").last {
        case "osm", "pbf", "osh": self = .osm
        case "csv", "tsv", "tab", "txt": self = .csv
        case "geojson", "json": self = .geojson
        case "geojsonl", "geojsons", "ndjson", "jsonl", "ndgeojson", "geojsonseq": self = .geojsonl
        case "gpx": self = .gpx
        case "shp", "zip": self = .shapefile
        case "gpkg": self = .geopackage
        default: return nil
        }
    }

    /// The format of a media type, whose parameters are ignored; nil for any other.
    package init?(mediaType: String) {
        let type = mediaType.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        switch type {
        case "text/csv", "text/tab-separated-values": self = .csv
        case "application/geo+json", "application/json": self = .geojson
        case "application/geo+json-seq", "application/x-ndjson": self = .geojsonl
        case "application/vnd.openstreetmap.data+pbf", "application/vnd.openstreetmap.data+xml":
            self = .osm
        case "application/gpx+xml", "application/gpx": self = .gpx
        case "application/zip", "application/x-zip-compressed": self = .shapefile
        case "application/geopackage+sqlite3": self = .geopackage
        default: return nil
        }
    }
}
