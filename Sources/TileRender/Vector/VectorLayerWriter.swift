/// Writes one layer of a vector tile: points with ids and properties.
///
/// Source: Mapbox, "Vector Tile Specification" 2.1; the sections are named where they apply. The
/// bytes depend on the calls alone: the same features with the same properties in the same order
/// are the same bytes. Belongs to one thread at a time.
///
///     var layer = VectorLayerWriter(name: "Towns")
///     layer.beginPoint(id: 7, x: 2048, y: 1024)
///     layer.add(layer.key("count"), whole: 3)
///     layer.endPoint()
///     let tile = layer.tile()  // the bytes of a tile with this layer
public struct VectorLayerWriter {
    /// The number of a property's name in the layer's table.
    public struct Key: Hashable, Sendable {
        fileprivate let number: UInt32
    }

    /// The version of the specification (§4.1).
    private static let version: UInt64 = 2

    private let name: String
    private var features: [UInt8] = []
    /// The `keys` and `values` of the layer (§4.1), without doubles (§4.4).
    private var keys = InternTable()
    private var values = InternTable()
    /// The feature at hand: its id, its packed geometry, and its packed pairs of numbers of keys and
    /// values (§4.4).
    private var id: UInt64 = 0
    private var geometry: [UInt8] = []
    private var tags: [UInt8] = []
    /// How many features there are.
    public private(set) var count = 0

    /// An empty layer.
    ///
    /// - Parameter name: Its name, unique in its tile (§4.1).
    public init(name: String) { self.name = name }

    /// Forgets all features and keeps the memory for the next tile.
    public mutating func removeAll() {
        features.removeAll(keepingCapacity: true)
        keys.removeAll()
        values.removeAll()
        count = 0
    }

    // MARK: - Features

    /// Begins a feature that is one point; its properties follow.
    ///
    /// - Parameters:
    ///   - id: Unique in the layer but for copies (§4.2).
    ///   - x: Units eastwards from the tile's west edge; `0..<extent` within the tile.
    ///   - y: Units southwards from its north edge.
    public mutating func beginPoint(id: UInt64, x: Int32, y: Int32) {
        self.id = id
        tags.removeAll(keepingCapacity: true)
        geometry.removeAll(keepingCapacity: true)
        // MoveTo, once (§4.3.1), from the origin (§4.3.2).
        geometry.append(1 | 1 << 3)
        geometry.appendVarint(Protobuf.zigzag(Int64(x)))
        geometry.appendVarint(Protobuf.zigzag(Int64(y)))
    }

    /// Ends the feature at hand and puts it behind the others.
    public mutating func endPoint() {
        var size = 1 + Protobuf.varintBytes(id) + 2 + 2 + geometry.count
        if !tags.isEmpty {
            size += 1 + Protobuf.varintBytes(UInt64(tags.count)) + tags.count
        }
        features.appendTag(Field.features, .lengthDelimited)
        features.appendVarint(UInt64(size))
        features.appendTag(Field.id, .varint)
        features.appendVarint(id)
        if !tags.isEmpty { features.appendField(Field.tags, tags) }
        features.appendTag(Field.type, .varint)
        features.append(1)  // POINT (§4.3.4.2)
        features.appendField(Field.geometry, geometry)
        count += 1
    }

    // MARK: - Properties

    /// The number of a property's name. O(length).
    public mutating func key(_ name: String) -> Key { key(name.utf8Span.span) }

    /// The number of a property's name, in UTF-8. O(length).
    public mutating func key(_ name: Span<UInt8>) -> Key {
        let start = keys.bytes.count
        keys.bytes.appendField(Field.keys, name)
        return Key(number: keys.settle(from: start))
    }

    /// Adds text.
    public mutating func add(_ key: Key, text: String) { add(key, text: text.utf8Span.span) }

    /// Adds text in UTF-8.
    public mutating func add(_ key: Key, text: [UInt8]) { add(key, text: text.span) }

    /// Adds text in UTF-8.
    public mutating func add(_ key: Key, text: Span<UInt8>) {
        let start = values.bytes.count
        let length = UInt64(text.count)
        beginValue(bytes: 1 + Protobuf.varintBytes(length) + text.count)
        values.bytes.appendField(Field.text, text)
        settle(key, from: start)
    }

    /// Adds a whole number: unsigned, or signed when it is negative.
    public mutating func add(_ key: Key, whole: Int64) {
        let start = values.bytes.count
        let field = whole < 0 ? Field.signed : Field.unsigned
        let bits = whole < 0 ? Protobuf.zigzag(whole) : UInt64(whole)
        beginValue(bytes: 1 + Protobuf.varintBytes(bits))
        values.bytes.appendTag(field, .varint)
        values.bytes.appendVarint(bits)
        settle(key, from: start)
    }

    /// Adds a number that need not be whole.
    public mutating func add(_ key: Key, number: Double) {
        let start = values.bytes.count
        beginValue(bytes: 9)
        values.bytes.appendTag(Field.double, .fixed64)
        var bits = number.bitPattern
        for _ in 0..<8 {
            values.bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
        }
        settle(key, from: start)
    }

    /// Adds a truth value.
    public mutating func add(_ key: Key, flag: Bool) {
        let start = values.bytes.count
        beginValue(bytes: 2)
        values.bytes.appendTag(Field.flag, .varint)
        values.bytes.append(flag ? 1 : 0)
        settle(key, from: start)
    }

    private mutating func beginValue(bytes: Int) {
        values.bytes.appendTag(Field.values, .lengthDelimited)
        values.bytes.appendVarint(UInt64(bytes))
    }

    private mutating func settle(_ key: Key, from start: Int) {
        tags.appendVarint(UInt64(key.number))
        tags.appendVarint(UInt64(values.settle(from: start)))
    }

    // MARK: - The tile

    /// The bytes of a tile with this layer alone; none for a layer without features, which no tile
    /// may hold (§4.1).
    ///
    /// - Complexity: O(bytes).
    public func tile() -> [UInt8] {
        if count == 0 { return [] }
        let nameBytes = name.utf8.count
        let extent = UInt64(VectorTileGrid.extent)
        let size =
            2 + 1 + Protobuf.varintBytes(UInt64(nameBytes)) + nameBytes + features.count
            + keys.bytes.count + values.bytes.count + 1 + Protobuf.varintBytes(extent)
        var tile: [UInt8] = []
        tile.reserveCapacity(size + 11)
        tile.appendTag(Field.layers, .lengthDelimited)
        tile.appendVarint(UInt64(size))
        // The version comes first, so that a reader knows early what follows (§4.1).
        tile.appendTag(Field.version, .varint)
        tile.appendVarint(VectorLayerWriter.version)
        tile.appendField(Field.name, name.utf8Span.span)
        tile.append(contentsOf: features)
        tile.append(contentsOf: keys.bytes)
        tile.append(contentsOf: values.bytes)
        tile.appendTag(Field.extent, .varint)
        tile.appendVarint(extent)
        return tile
    }

    /// The numbers of the fields in `vector_tile.proto` of the specification.
    private enum Field {
        // Of a tile.
        static let layers: UInt8 = 3
        // Of a layer.
        static let version: UInt8 = 15
        static let name: UInt8 = 1
        static let features: UInt8 = 2
        static let keys: UInt8 = 3
        static let values: UInt8 = 4
        static let extent: UInt8 = 5
        // Of a feature.
        static let id: UInt8 = 1
        static let tags: UInt8 = 2
        static let type: UInt8 = 3
        static let geometry: UInt8 = 4
        // Of a value.
        static let text: UInt8 = 1
        static let double: UInt8 = 3
        static let unsigned: UInt8 = 5
        static let signed: UInt8 = 6
        static let flag: UInt8 = 7
    }
}
