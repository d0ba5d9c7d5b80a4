import JSONText

/// Reads a geometry's Well-Known Text (OGC 06-103r4, 7) as GeoJSON.
///
///     POINT (7.1 49.2)   LINESTRING Z (7 49 200, 8 50 210)   SRID=4326;POLYGON((0 0,1 0,1 1,0 0))
///
/// Heights are kept, measures are passed over. Numbers are not judged here; whoever reads the
/// GeoJSON does that. Depth and length are limited, so that no text can exhaust the stack.
struct WKTReader {
    /// What a cell holds.
    struct Geometry {
        /// The GeoJSON geometry; null for an EMPTY one.
        let json: JSONValue
        /// The number after `SRID=`, when there is one.
        let srid: Int?
    }

    private static let maxDepth = 32

    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The geometry of a text; nil when it is none.
    ///
    /// - Complexity: O(length).
    static func geometry(_ bytes: [UInt8]) -> Geometry? {
        var reader = WKTReader(bytes)
        var srid: Int?
        if reader.word() == "SRID" {
            guard reader.take("="), let number = reader.number() else { return nil }
            guard case .integer(let code) = number, reader.take(";") else { return nil }
            srid = Int(code)
        } else {
            reader.place = 0
        }
        guard let json = reader.tagged(depth: 0), reader.isAtEnd else { return nil }
        return Geometry(json: json, srid: srid)
    }

    /// Whether a text begins like Well-Known Text.
    static func looksLikeOne(_ bytes: [UInt8]) -> Bool {
        var reader = WKTReader(bytes)
        let word = reader.word()
        return word == "SRID" || types[word] != nil
    }

    /// The GeoJSON names of the types, and how deep their coordinates nest.
    private static let types: [String: (name: String, depth: Int)] = [
        "POINT": ("Point", 0), "LINESTRING": ("LineString", 1), "POLYGON": ("Polygon", 2),
        "MULTIPOINT": ("MultiPoint", 1), "MULTILINESTRING": ("MultiLineString", 2),
        "MULTIPOLYGON": ("MultiPolygon", 3), "GEOMETRYCOLLECTION": ("GeometryCollection", 0),
    ]

    private enum Dimensions { case plain, height, measure, both }

    private mutating func tagged(depth: Int) -> JSONValue? {
        guard depth < WKTReader.maxDepth else { return nil }
        var tag = word()
        var dimensions = Dimensions.plain
        // `POINTZ` and `POINT Z` are the same.
        for (suffix, meaning) in [("ZM", Dimensions.both), ("Z", .height), ("M", .measure)]
        where WKTReader.types[tag] == nil && tag.hasSuffix(suffix) {
            tag.removeLast(suffix.count)
            dimensions = meaning
        }
        guard let type = WKTReader.types[tag] else { return nil }
        let start = place
        switch word() {
        case "ZM": dimensions = .both
        case "Z": dimensions = .height
        case "M": dimensions = .measure
        case "EMPTY": return .null
        default: place = start
        }
        let emptyStart = place
        if word() == "EMPTY" { return .null }
        place = emptyStart
        if tag == "GEOMETRYCOLLECTION" {
            guard let parts = list({ $0.tagged(depth: depth + 1) }) else { return nil }
            return [
                "type": "GeometryCollection", "geometries": .array(parts.filter { !$0.isNull }),
            ]
        }
        let coordinates: JSONValue?
        if tag == "POINT" {
            guard take("("), let position = position(dimensions), take(")") else { return nil }
            coordinates = position
        } else if tag == "MULTIPOINT" {
            // Both `((1 2), (3 4))` and `(1 2, 3 4)` are written.
            coordinates = list {
                let isNested = $0.take("(")
                guard let position = $0.position(dimensions) else { return nil }
                return !isNested || $0.take(")") ? position : nil
            }.map { .array($0) }
        } else {
            coordinates = nested(type.depth, dimensions)
        }
        return coordinates.map { ["type": .string(type.name), "coordinates": $0] }
    }

    private mutating func nested(_ depth: Int, _ dimensions: Dimensions) -> JSONValue? {
        list { depth == 1 ? $0.position(dimensions) : $0.nested(depth - 1, dimensions) }
            .map { .array($0) }
    }

    private mutating func list(_ item: (inout WKTReader) -> JSONValue?) -> [JSONValue]? {
        guard take("(") else { return nil }
        var items: [JSONValue] = []
        repeat {
            guard let next = item(&self) else { return nil }
            items.append(next)
        } while take(",")
        return take(")") ? items : nil
    }

    private mutating func position(_ dimensions: Dimensions) -> JSONValue? {
        var numbers: [JSONValue] = []
        while numbers.count < 4, let number = number() { numbers.append(number) }
        guard numbers.count >= 2 else { return nil }
        switch dimensions {
        // Some programs write a third number without saying Z.
        case .plain where numbers.count <= 3: break
        case .height where numbers.count == 3: break
        case .measure where numbers.count == 3, .both where numbers.count == 4:
            numbers.removeLast()
        default: return nil
        }
        return .array(numbers)
    }

    // MARK: - Words and numbers

    private var isAtEnd: Bool {
        bytes[place...].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0a || $0 == 0x0d }
    }

    private mutating func skipSpace() {
        while place < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[place]) { place += 1 }
    }

    /// The letters that come next, as capitals; at most 32.
    private mutating func word() -> String {
        skipSpace()
        var letters: [UInt8] = []
        while place < bytes.count, letters.count < 32 {
            let capital = bytes[place] & 0xdf
            guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(capital), bytes[place] >= 0x41
            else { break }
            letters.append(capital)
            place += 1
        }
        return String(decoding: letters, as: UTF8.self)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard place < bytes.count, UInt32(bytes[place]) == character.value else { return false }
        place += 1
        return true
    }

    private mutating func number() -> JSONValue? {
        skipSpace()
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                place += 1
                continue
            default: break
            }
            break
        }
        guard let number = DecimalNumber(bytes.span, start..<place) else {
            place = start
            return nil
        }
        return number.integer.map { .integer($0) } ?? .number(number.value)
    }
}
