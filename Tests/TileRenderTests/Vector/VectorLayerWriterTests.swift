import TestSupport
import TileRender
import Testing

/// Vector tiles against the specification's layout, and read back by the tests' own reader.
struct VectorLayerWriterTests {
    @Test("a tile is laid out byte for byte as the specification has it")
    func layout() {
        var layer = VectorLayerWriter(name: "ab")
        layer.beginPoint(id: 300, x: 25, y: -17)
        layer.add(layer.key("k"), text: "v")
        layer.add(layer.key("n"), whole: -2)
        layer.endPoint()
        let tile: [UInt8] =
            [0x1a, 48]  // a layer
            + [0x78, 2]  // version
            + [0x0a, 2, 0x61, 0x62]  // name
            + [0x12, 16, 0x08, 0xac, 0x02, 0x12, 4, 0, 0, 1, 1, 0x18, 1, 0x22, 3, 9, 50, 33]
            + [0x1a, 1, 0x6b, 0x1a, 1, 0x6e]  // keys
            + [0x22, 3, 0x0a, 1, 0x76, 0x22, 2, 0x30, 3]  // values
            + [0x28, 0x80, 0x20]  // extent
        var expected = tile
        expected[1] = UInt8(tile.count - 2)
        #expect(layer.tile() == expected)
    }

    @Test("a layer without features is no tile")
    func empty() {
        var layer = VectorLayerWriter(name: "City")
        _ = layer.key("left over")
        #expect(layer.tile().isEmpty)
    }

    @Test("numbers keep their value to the last bit")
    func numbers() throws {
        let wholes: [Int64] = [0, 1, -1, 127, 128, -64, -65, 1 << 53, .max, .min]
        let numbers = [0.5, -0.0, 1e300, .leastNonzeroMagnitude, 0.1]
        var layer = VectorLayerWriter(name: "n")
        layer.beginPoint(id: .max, x: .min, y: .max)
        for (index, whole) in wholes.enumerated() {
            layer.add(layer.key("w\(index)"), whole: whole)
        }
        for (index, number) in numbers.enumerated() {
            layer.add(layer.key("d\(index)"), number: number)
        }
        layer.endPoint()
        let feature = try #require(try DecodedVectorTile(layer.tile()).features.first)
        #expect(feature.id == .max && feature.x == Int(Int32.min) && feature.y == Int(Int32.max))
        for (index, whole) in wholes.enumerated() {
            let expected: VectorTileValue = whole < 0 ? .signed(whole) : .unsigned(UInt64(whole))
            #expect(feature.properties["w\(index)"] == expected)
        }
        for (index, number) in numbers.enumerated() {
            guard case .double(let read)? = feature.properties["d\(index)"] else {
                Issue.record("\(number) is no double")
                continue
            }
            #expect(read.bitPattern == number.bitPattern)
        }
    }

    @Test(
        "features come back as they were, and no table has a double", arguments: UInt64(0)..<24)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let features = (0..<Int.random(in: 1...300, using: &random)).map { _ in
            VectorLayerWriterTests.feature(&random)
        }
        var layer = VectorLayerWriter(name: "Läden")
        VectorLayerWriterTests.write(features, to: &layer)
        let bytes = layer.tile()
        let tile = try DecodedVectorTile(bytes)
        #expect(tile.name == "Läden" && tile.version == 2 && tile.extent == 4096)
        #expect(tile.features == features)
        #expect(Set(tile.keys).count == tile.keys.count)
        #expect(Set(tile.values).count == tile.values.count)
        // The memory of another tile leaves no trace.
        layer.removeAll()
        VectorLayerWriterTests.write(features, to: &layer)
        #expect(layer.tile() == bytes)
    }

    private static func feature(_ random: inout SeededGenerator) -> DecodedFeature {
        let count = Int.random(in: 0...8, using: &random)
        let names = (0..<count).map { _ in "key\(Int.random(in: 0...40, using: &random))" }
        var properties: [String: VectorTileValue] = [:]
        for name in names {
            properties[name] =
                switch Int.random(in: 0...4, using: &random) {
                case 0: .text("text \(Int.random(in: 0...200, using: &random)) ÄÖ")
                case 1: .flag(.random(using: &random))
                case 2: .unsigned(.random(in: 0...1_000, using: &random))
                case 3: .signed(.random(in: -1_000 ... -1, using: &random))
                default: .double(.random(in: -1...1, using: &random))
                }
        }
        return DecodedFeature(
            id: .random(in: 0...(1 << 53), using: &random),
            x: .random(in: -400...4_500, using: &random),
            y: .random(in: -400...4_500, using: &random), properties: properties)
    }

    private static func write(_ features: [DecodedFeature], to layer: inout VectorLayerWriter) {
        for feature in features {
            layer.beginPoint(id: feature.id, x: Int32(feature.x), y: Int32(feature.y))
            for (name, value) in feature.properties.sorted(by: { $0.key < $1.key }) {
                switch value {
                case .text(let text): layer.add(layer.key(name), text: text)
                case .flag(let flag): layer.add(layer.key(name), flag: flag)
                case .unsigned(let number): layer.add(layer.key(name), whole: Int64(number))
                case .signed(let number): layer.add(layer.key(name), whole: number)
                case .double(let number): layer.add(layer.key(name), number: number)
                }
            }
            layer.endPoint()
        }
    }
}
