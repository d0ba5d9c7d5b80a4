/// Why bytes are not a vector tile that the tests can read.
package enum VectorTileDecodingError: Error, Equatable, Sendable {
    case truncated
    case wireType(UInt64)
    case field(UInt64, of: String)
    case repeated(String)
    case missing(String)
    case geometry
    case tag
    case text
}

/// A value of a feature's property.
package enum VectorTileValue: Hashable, Sendable {
    case text(String)
    case double(Double)
    case unsigned(UInt64)
    case signed(Int64)
    case flag(Bool)
}

/// A feature that is one point.
package struct DecodedFeature: Equatable, Sendable {
    package var id: UInt64
    package var x: Int
    package var y: Int
    package var properties: [String: VectorTileValue]

    package init(id: UInt64, x: Int, y: Int, properties: [String: VectorTileValue]) {
        self.id = id
        self.x = x
        self.y = y
        self.properties = properties
    }
}

/// A vector tile of one layer read back, every field of the specification tested (Mapbox, "Vector
/// Tile Specification" 2.1).
package struct DecodedVectorTile: Equatable, Sendable {
    package let name: String
    package let extent: UInt64
    package let version: UInt64
    package let features: [DecodedFeature]
    /// The tables as they stand in the layer.
    package let keys: [String]
    package let values: [VectorTileValue]

    /// Reads a tile.
    package init(_ tile: [UInt8]) throws(VectorTileDecodingError) {
        var reader = FieldReader(tile[...])
        guard let layer = try reader.next() else { throw .missing("layer") }
        guard layer.number == 3 else { throw .field(layer.number, of: "tile") }
        guard try reader.next() == nil else { throw .repeated("layer") }

        var fields = FieldReader(try layer.bytes())
        guard let first = try fields.next(), first.number == 15 else { throw .missing("version") }
        version = try first.varint()
        var name: String?
        var extent: UInt64?
        var keys: [String] = []
        var values: [VectorTileValue] = []
        var features: [ArraySlice<UInt8>] = []
        while let field = try fields.next() {
            switch field.number {
            case 1 where name == nil: name = try field.text()
            case 2: features.append(try field.bytes())
            case 3: keys.append(try field.text())
            case 4: values.append(try DecodedVectorTile.value(try field.bytes()))
            case 5 where extent == nil: extent = try field.varint()
            default: throw .field(field.number, of: "layer")
            }
        }
        guard let name else { throw .missing("name") }
        guard !features.isEmpty else { throw .missing("features") }
        self.name = name
        self.extent = extent ?? 4096
        self.keys = keys
        self.values = values
        var decoded: [DecodedFeature] = []
        for feature in features {
            decoded.append(try DecodedVectorTile.feature(feature, keys, values))
        }
        self.features = decoded
    }

    private static func value(
        _ bytes: ArraySlice<UInt8>
    ) throws(VectorTileDecodingError) -> VectorTileValue {
        var reader = FieldReader(bytes)
        guard let field = try reader.next() else { throw .missing("value") }
        guard try reader.next() == nil else { throw .repeated("value") }
        switch field.number {
        case 1: return .text(try field.text())
        case 3: return .double(Double(bitPattern: try field.fixed64()))
        case 5: return .unsigned(try field.varint())
        case 6: return .signed(unzigzag(try field.varint()))
        case 7: return .flag(try field.varint() == 1)
        default: throw .field(field.number, of: "value")
        }
    }

    private static func feature(
        _ bytes: ArraySlice<UInt8>, _ keys: [String], _ values: [VectorTileValue]
    ) throws(VectorTileDecodingError) -> DecodedFeature {
        var reader = FieldReader(bytes)
        var id: UInt64?
        var tags: [UInt64] = []
        var type: UInt64 = 0
        var geometry: [UInt64] = []
        while let field = try reader.next() {
            switch field.number {
            case 1: id = try field.varint()
            case 2: tags = try field.packed()
            case 3: type = try field.varint()
            case 4: geometry = try field.packed()
            default: throw .field(field.number, of: "feature")
            }
        }
        guard let id else { throw .missing("id") }
        // One MoveTo of one point.
        guard type == 1, geometry.count == 3, geometry[0] == 9 else { throw .geometry }
        guard tags.count.isMultiple(of: 2) else { throw .tag }
        var properties: [String: VectorTileValue] = [:]
        for place in stride(from: 0, to: tags.count, by: 2) {
            guard let key = Int(exactly: tags[place]), keys.indices.contains(key),
                let value = Int(exactly: tags[place + 1]), values.indices.contains(value),
                properties.updateValue(values[value], forKey: keys[key]) == nil
            else { throw .tag }
        }
        return DecodedFeature(
            id: id, x: Int(unzigzag(geometry[1])), y: Int(unzigzag(geometry[2])),
            properties: properties)
    }

    private static func unzigzag(_ bits: UInt64) -> Int64 {
        Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }
}

/// Reads the fields of a Protocol Buffers message one after another.
private struct FieldReader {
    struct Field {
        let number: UInt64
        fileprivate let wire: UInt64
        fileprivate let number64: UInt64
        fileprivate let content: ArraySlice<UInt8>

        func varint() throws(VectorTileDecodingError) -> UInt64 {
            guard wire == 0 else { throw .wireType(wire) }
            return number64
        }

        func fixed64() throws(VectorTileDecodingError) -> UInt64 {
            guard wire == 1 else { throw .wireType(wire) }
            return number64
        }

        func bytes() throws(VectorTileDecodingError) -> ArraySlice<UInt8> {
            guard wire == 2 else { throw .wireType(wire) }
            return content
        }

        func text() throws(VectorTileDecodingError) -> String {
            guard let text = String(validating: try bytes(), as: UTF8.self) else { throw .text }
            return text
        }

        func packed() throws(VectorTileDecodingError) -> [UInt64] {
            var reader = FieldReader(try bytes())
            var numbers: [UInt64] = []
            while !reader.rest.isEmpty { numbers.append(try reader.varint()) }
            return numbers
        }
    }

    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() throws(VectorTileDecodingError) -> Field? {
        if rest.isEmpty { return nil }
        let tag = try varint()
        switch tag & 7 {
        case 0: return Field(number: tag >> 3, wire: 0, number64: try varint(), content: [])
        case 1:
            let bytes = try take(8)
            let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Field(number: tag >> 3, wire: 1, number64: number, content: [])
        case 2:
            guard let count = Int(exactly: try varint()) else { throw .truncated }
            return Field(number: tag >> 3, wire: 2, number64: 0, content: try take(count))
        default: throw .wireType(tag & 7)
        }
    }

    mutating func varint() throws(VectorTileDecodingError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { throw .truncated }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
        }
        throw .truncated
    }

    private mutating func take(_ count: Int) throws(VectorTileDecodingError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .truncated }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
