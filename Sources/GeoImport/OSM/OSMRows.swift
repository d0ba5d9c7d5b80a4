import GeoIndex
import JSONText

/// Turns the objects of an OpenStreetMap file into rows.
///
/// A tag becomes a field of text, a node a place, anything else the field `geometry` and a place on
/// it. The field `kind` has the value that the filter looked for.
struct OSMRows: ~Copyable {
    /// How many rows are given out at once.
    private static let batchRows = 512
    /// How many names of tags are remembered; what comes after is mapped each time.
    private static let rememberedNames = 4_096

    private var reader: OSMReader
    private let options: ImportOptions
    private let finder = InteriorPointFinder()
    private var fieldNames: [String: String] = [:]
    private var count = 0

    /// Opens a file.
    ///
    /// - Throws: ``ImportError/osm(reason:)``.
    init(path: String, options: ImportOptions) throws(ImportError) {
        reader = try OSMReader(path: path, filter: options.tags)
        self.options = options
    }

    /// The share of the work that is done, in 0...1.
    var progress: Double { reader.progress }

    /// What a reader of the report should know.
    var notes: [String] {
        count > 0 ? [] : ["no object of the file has one of the tags \(options.tags.text)"]
    }

    /// Appends the next rows; false at the end.
    ///
    /// - Throws: ``ImportError/osm(reason:)``; rows before it are in the batch.
    mutating func read(into batch: inout RowBatch) throws(ImportError) -> Bool {
        for _ in 0..<OSMRows.batchRows {
            guard let object = try reader.next() else { return false }
            count += 1
            add(object, to: &batch)
        }
        return true
    }

    private mutating func add(_ object: OSMObject, to batch: inout RowBatch) {
        let shape: Shape
        switch object.shape {
        case .success(let found): shape = found
        case .failure(let problem):
            batch.reject(count, .osm(id: object.id, problem), id: object.id)
            return
        }
        guard let position = finder.position(on: shape) else {
            batch.reject(count, .osm(id: object.id, .noNodes), id: object.id)
            return
        }
        var fields = self.fields(of: object.tags)
        if case .point = shape {} else { fields["geometry"] = shape.geoJSON }
        batch.rows.append(
            ImportRow(line: count, id: object.id, position: position, fields: fields))
    }

    private mutating func fields(of tags: [(key: String, value: String)]) -> JSONObject {
        let kind =
            options.kindColumn.map { key in tags.first { $0.key == key }?.value }
            ?? options.tags.kind(of: tags)
        var fields = JSONObject()
        fields.reserveCapacity(tags.count + 1)
        if let kind { fields["kind"] = .string(kind) }
        for (index, tag) in tags.enumerated() {
            let name = fieldName(tag.key, number: index + 1)
            var free = name
            var copy = 2
            // Two keys of one object may become the same name.
            while fields.contains(free) {
                free = "\(name)_\(copy)"
                copy += 1
            }
            fields[free] = .string(tag.value)
        }
        return fields
    }

    private mutating func fieldName(_ key: String, number: Int) -> String {
        if let known = fieldNames[key] { return known }
        let name = FieldNames.field(for: key, number: number)
        guard fieldNames.count < OSMRows.rememberedNames else { return name }
        fieldNames[key] = name
        return name
    }
}

extension Shape {
    /// The shape as RFC 7946 writes it.
    fileprivate var geoJSON: JSONValue {
        switch self {
        case .point(let position): ["type": "Point", "coordinates": position.coordinates]
        case .line(let positions):
            ["type": "LineString", "coordinates": .array(positions.map(\.coordinates))]
        case .polygon(let rings):
            ["type": "Polygon", "coordinates": .array(rings.map { .array($0.map(\.coordinates)) })]
        case .collection(let shapes):
            [
                "type": "MultiPolygon",
                "coordinates": .array(shapes.compactMap { $0.geoJSON["coordinates"] }),
            ]
        }
    }
}

extension LonLat {
    fileprivate var coordinates: JSONValue { [.number(lon), .number(lat)] }
}
