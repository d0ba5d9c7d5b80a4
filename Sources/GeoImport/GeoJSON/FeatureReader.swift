import GeoIndex
import JSONText

/// Turns the bytes of one GeoJSON feature, or bare geometry, into a row.
///
/// A point becomes the row's position. Any other geometry, and a point with a height, is kept in
/// the field `geometry`; the position is then a point on it. Properties become fields under names
/// that fields may have. It belongs to one thread, like the parser and the GEOS context it owns.
final class FeatureReader {
    /// How many names of properties are remembered; what comes after is mapped each time.
    private static let rememberedNames = 4096

    /// The most properties of one feature. Finding a free name for each of many that map to one
    /// name takes quadratic time, so that a feature of a megabyte could keep a thread for hours.
    static let maxProperties = 1000

    private let options: ImportOptions
    private let parser = JSONParser()
    private let finder = InteriorPointFinder()
    private let transform: CoordinateTransform?
    private var fieldNames: [String: String] = [:]
    private(set) var notes: [String] = []

    init(options: ImportOptions) throws(ImportError) {
        self.options = options
        transform = try options.transform()
    }

    /// Refuses the member `crs` of GeoJSON of 2008 when it states a system that is not the one the
    /// coordinates are read in. RFC 7946 has no such member, and only degrees.
    func check(crs member: JSONValue) throws(ImportError) {
        guard options.crs == nil, let name = member["properties"]?["name"]?.stringValue else {
            return
        }
        guard CRSCode(legacyName: name) == .wgs84 else { throw .statedCRS(name: name) }
    }

    /// The row of a text.
    func row(_ bytes: Span<UInt8>, number: Int) throws(RowProblem) -> ImportRow {
        try row(try value(bytes), number: number)
    }

    /// The value of a text.
    func value(_ bytes: Span<UInt8>) throws(RowProblem) -> JSONValue {
        let limits = options.limits
        let depth = min(max(1, limits.depth), JSONParser.greatestMaxDepth)
        do throws(JSONError) {
            return try parser.parse(bytes, maxBytes: limits.featureBytes, maxDepth: depth)
        } catch {
            throw RowProblem(.json(error))
        }
    }

    /// The row of a value.
    func row(_ value: JSONValue, number: Int) throws(RowProblem) -> ImportRow {
        do throws(GeoJSONError) {
            guard let object = value.objectValue else { throw .notAnObject(what: "the feature") }
            guard let type = object["type"]?.stringValue else { throw .type(what: "the feature") }
            return type == "Feature"
                ? try feature(object, number) : try geometry(value, number)
        } catch {
            let id = objectID(of: value)
            if case .position(let lon, let lat) = error {
                throw RowProblem(.outOfRange(column: "coordinates", lon: lon, lat: lat), id: id)
            }
            throw RowProblem(.geoJSON(error), id: id)
        }
    }

    private func geometry(_ value: JSONValue, _ number: Int) throws(GeoJSONError) -> ImportRow {
        var fields = JSONObject()
        let position = try locate(transform?.applied(to: value) ?? value, &fields)
        return ImportRow(line: number, id: nil, position: position, fields: fields)
    }

    private func feature(_ object: JSONObject, _ number: Int) throws(GeoJSONError) -> ImportRow {
        try GeometryReader.checkBox(object)
        guard let geometry = object["geometry"] else { throw .missing(member: "geometry") }
        guard let stated = object["properties"] else { throw .missing(member: "properties") }
        guard stated.isNull || stated.objectValue != nil else { throw .properties }
        let properties = stated.objectValue ?? JSONObject()
        guard properties.count <= FeatureReader.maxProperties else {
            throw .tooManyProperties(count: properties.count, limit: FeatureReader.maxProperties)
        }
        var fields = try self.fields(of: properties)
        let position =
            geometry.isNull
            ? nil : try locate(transform?.applied(to: geometry) ?? geometry, &fields)
        let fileID = try id(object, properties)
        let objectID = fileID.map(FileID.objectID(for:))
        if let fileID, objectID != fileID { fields["sourceId"] = .string(fileID) }
        return ImportRow(line: number, id: objectID, position: position, fields: fields)
    }

    /// The position of a geometry, which is kept among the fields unless it is that position.
    private func locate(
        _ geometry: JSONValue, _ fields: inout JSONObject
    ) throws(GeoJSONError) -> LonLat? {
        let checked: Shape?
        do throws(GeoJSONError) {
            // Each position by itself.
            checked = try GeometryReader(.wrapped).shape(of: geometry)
        } catch {
            guard case .position = error, geometry["type"]?.stringValue != "Point" else {
                throw error
            }
            // A line or an area that goes on past a pole is GeoJSON, and nowhere on a map.
            _ = try GeometryReader(.unplaced).shape(of: geometry)
            fields["geometry"] = geometry
            return nil
        }
        guard let shape = checked else { return nil }
        if case .point(let position) = shape, geometry["coordinates"]?.arrayValue?.count == 2 {
            return position
        }
        fields["geometry"] = geometry
        return position(on: shape, geometry)
    }

    /// A position on a shape that may go on past 180°: there it is found on the plane that the file
    /// draws on, and turned back. On one that goes more than once round it is the first.
    private func position(on wrapped: Shape, _ geometry: JSONValue) -> LonLat? {
        guard let span = GeometryReader.longitudes(of: geometry) else {
            return finder.position(on: wrapped)
        }
        let globe = -180.0...180.0
        if globe.contains(span.lowerBound), globe.contains(span.upperBound) {
            return finder.position(on: wrapped)
        }
        let middle = (span.lowerBound + span.upperBound) / 2
        guard span.upperBound - span.lowerBound <= 360,
            let shape = try? GeometryReader(.shifted(middle)).shape(of: geometry),
            let found = finder.position(on: shape)
        else { return wrapped.firstPosition }
        return try? LonLat(wrappingLon: found.lon + middle, lat: found.lat)
    }

    /// The feature's own id, or the property that the options name; nil when there is none.
    private func id(
        _ object: JSONObject, _ properties: JSONObject
    ) throws(GeoJSONError) -> String? {
        let stated = options.idColumn.map { properties[$0] } ?? object["id"]
        switch stated {
        case .none: return nil
        case .null? where options.idColumn != nil: return nil
        case .string(let text)?: return text.isEmpty ? nil : text
        case .integer(let number)?: return String(number)
        case .number(let number)?:
            var text: [UInt8] = []
            JSONWriter.append(number, to: &text)
            return String(decoding: text, as: UTF8.self)
        default: throw .id
        }
    }

    /// The id of the object that a rejected feature would have become.
    private func objectID(of feature: JSONValue) -> String? {
        guard let object = feature.objectValue else { return nil }
        let properties = object["properties"]?.objectValue ?? JSONObject()
        do throws(GeoJSONError) {
            return try id(object, properties).map(FileID.objectID(for:))
        } catch {
            return nil
        }
    }

    private func fields(of properties: JSONObject) throws(GeoJSONError) -> JSONObject {
        var fields = JSONObject()
        fields.reserveCapacity(properties.count)
        for (index, member) in properties.members.enumerated() where member.key != options.idColumn
        {
            let name = fieldName(member.key, number: index + 1)
            var free = name
            var copy = 2
            // Two properties of one feature may become the same name. The field of the kind is
            // the named property's, whichever comes first.
            while fields.contains(free) || (free == "kind" && givesWay(member.key)) {
                free = "\(name)_\(copy)"
                copy += 1
            }
            fields[free] = member.value
        }
        return fields
    }

    private func givesWay(_ key: String) -> Bool {
        options.kindColumn.map { $0 != key } ?? false
    }

    private func fieldName(_ key: String, number: Int) -> String {
        if key == options.kindColumn { return "kind" }
        if let known = fieldNames[key] { return known }
        let name = FieldNames.field(for: key, number: number)
        guard fieldNames.count < FeatureReader.rememberedNames else { return name }
        fieldNames[key] = name
        if name != key && notes.count < 100 {
            notes.append("property \"\(key.prefix(120))\" is stored as \(name)")
        }
        return name
    }
}
