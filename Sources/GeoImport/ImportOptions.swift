/// What the reader of a file has to know beside its bytes.
package struct ImportOptions: Hashable, Sendable {
    /// The column of the longitude; nil for `lon`, `lng`, `longitude` or `x`, in any case.
    package var lonColumn: String?
    /// The column of the latitude; nil for `lat`, `latitude` or `y`, in any case.
    package var latColumn: String?
    /// The column or property of the id; nil for `id` or `objectId` in a table, and for the
    /// feature's own id in GeoJSON.
    package var idColumn: String?
    /// The column or property that becomes the field `kind`.
    package var kindColumn: String?
    /// Which objects of an OpenStreetMap file are taken.
    package var tags = OSMTagFilter.places
    /// What a reader holds at most.
    package var limits = ImportLimits()

    /// The defaults.
    package init() {}
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
        default: return nil
        }
    }
}
