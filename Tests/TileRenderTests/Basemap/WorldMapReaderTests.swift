import GeoIndex
import TestSupport
import Testing

@testable import TileRender

@Suite("World map reader")
struct WorldMapReaderTests {
    /// A whole small map: two bands, one island with a lake and a border, three names.
    private static let content: [UInt8] = {
        var bytes: [UInt8] = [2]
        func zigzag(_ value: Int) -> [UInt8] {
            var rest = value >= 0 ? value << 1 : (-value << 1) - 1
            var result: [UInt8] = []
            while rest > 127 {
                result.append(UInt8(rest & 127 | 128))
                rest >>= 7
            }
            return result + [UInt8(rest)]
        }
        for (first, last, bits) in [(0, 4, 10), (5, 22, 12)] as [(UInt8, UInt8, UInt8)] {
            bytes += [first, last, bits, 3]
            let unit = 1 << (Int(bits) - 10)
            for (kind, points) in [
                (0, [(100, 100), (800, 0), (0, 700), (-700, 0)]),
                (1, [(300, 300), (100, 0), (0, 100)]),
                (2, [(150, 150), (400, 500)]),
            ] as [(UInt8, [(Int, Int)])] {
                bytes += [kind, 1, UInt8(points.count)]
                for (x, y) in points { bytes += zigzag(x * unit) + zigzag(y * unit) }
            }
        }
        bytes += [10, 3]
        bytes += [0, 1, 2] + [200, 150, 230] + [3, 2, 2] + [22, 22, 8]
        for (x, y) in [(300, 200), (600, 700), (500, 500)] {
            bytes += [UInt8(x & 127 | 128), UInt8(x >> 7), UInt8(y & 127 | 128), UInt8(y >> 7)]
        }
        for name in ["Ås", "Łódź", "Land\nof Nod"] {
            bytes += [UInt8(name.utf8.count)] + Array(name.utf8)
        }
        return bytes
    }()

    private func packed(_ content: [UInt8], size: Int? = nil) throws -> [UInt8] {
        let packed = try Deflater(level: 6).zlib(content)
        func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        return Array("GEOWORLD".utf8) + number(1) + number(UInt32(size ?? content.count))
            + number(UInt32(packed.count)) + number(Deflater.crc32(packed.span)) + packed
    }

    private func error(_ file: [UInt8]) -> WorldMapError? {
        do throws(WorldMapError) { _ = try WorldMapReader.read(file) } catch { return error }
        return nil
    }

    @Test("a file is proved to be whole without being read", arguments: [0, 8, 12, 16, 20, 24, 60])
    func proof(place: Int) throws {
        var file = try packed(Self.content)
        try WorldMapReader.prove(file)
        file[place] ^= 1
        // What it unpacks to is not looked at: its size stands at 12.
        let isFound = error(file) { file throws(WorldMapError) in try WorldMapReader.prove(file) }
        #expect((isFound != nil) == (place != 12))
        #expect(throws: WorldMapError.self) { try WorldMapReader.prove(Array(file.dropLast())) }
    }

    private func error(
        _ file: [UInt8], _ body: ([UInt8]) throws(WorldMapError) -> Void
    ) -> WorldMapError? {
        do throws(WorldMapError) { try body(file) } catch { return error }
        return nil
    }

    @Test("a small map is read as it was written")
    func small() throws {
        let map = try WorldMapReader.read(try packed(Self.content))
        #expect(map.bands.map(\.zooms) == [0...4, 5...22])
        #expect(map.band(zoom: 22).land.xs == [400, 3600, 3600, 800])
        #expect(map.bands[0].land.ys == [100, 100, 800, 800])
        #expect(map.bands[0].lakes.count == 1)
        #expect(map.bands[0].provinces.count == 0)
        #expect(map.labels.map(\.name) == ["Ås", "Łódź", "Land\nof Nod"])
        #expect(map.labels.map(\.kind) == [.city, .capital, .country])
        #expect(map.labels[1].x == 600 && map.labels[1].y == 700)
    }

    @Test("every truncation of a file is an error, and what it is is said")
    func truncations() throws {
        let file = try packed(Self.content)
        for count in 0..<24 { #expect(error(Array(file.prefix(count))) == .notAWorldMap) }
        for count in 24..<file.count {
            let size = WorldMapError.size(expectedBytes: file.count, actualBytes: count)
            #expect(error(Array(file.prefix(count))) == size)
        }
        let longer = WorldMapError.size(expectedBytes: file.count, actualBytes: file.count + 1)
        #expect(error(file + [0]) == longer)
    }

    @Test("every flipped bit of a file is an error")
    func bitFlips() throws {
        let file = try packed(Self.content)
        for bit in 0..<file.count * 8 {
            var broken = file
            broken[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(error(broken) != nil, "bit \(bit)")
        }
    }

    @Test("each part of the header has its own error")
    func header() throws {
        var file = try packed(Self.content)
        file[8] = 2
        #expect(error(file) == .version(2))
        file[8] = 1
        file[30] ^= 1
        #expect(error(file) == .checksum)
        let size = Self.content.count + 1
        #expect(error(try packed(Self.content, size: size)) == .content(.packing, offset: 0))
        let bomb = try packed(Self.content, size: 1 << 30)
        #expect(error(bomb) == .content(.packing, offset: 0))
    }

    @Test("every truncation of the content is an error")
    func contentTruncations() throws {
        for count in 0..<Self.content.count {
            #expect(error(try packed(Array(Self.content.prefix(count)))) != nil, "\(count) bytes")
        }
        let more = error(try packed(Self.content + [0]))
        #expect(more == .content(.end, offset: Self.content.count))
    }

    /// What each named part of the content may not be: the offset of a byte, what it becomes,
    /// and the error.
    static let wrongs: [(offset: Int, byte: UInt8, error: WorldMapError.Content)] = [
        (1, 1, .zooms), (2, 30, .zooms), (3, 3, .number), (3, 30, .number), (5, 9, .kind),
        (6, 200, .kind), (7, 2, .count),
    ]

    @Test("a value out of range is named", arguments: wrongs)
    func wrong(offset: Int, byte: UInt8, expected: WorldMapError.Content) throws {
        var content = Self.content
        content[offset] = byte
        guard case .content(let found, _) = error(try packed(content)) else {
            Issue.record("no error")
            return
        }
        // A wrong count may be found out only by what follows.
        #expect(found == expected || offset == 6)
    }

    @Test("whatever a sound check sum covers is refused or can be drawn", arguments: 0..<150)
    func mutations(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        var content = Self.content
        for _ in 0...Int.random(in: 0...3, using: &random) {
            let index = Int.random(in: 0..<content.count, using: &random)
            content[index] = UInt8.random(in: 0...255, using: &random)
        }
        let map: WorldMap
        do throws(WorldMapError) {
            map = try WorldMapReader.read(content: content)
        } catch { return }
        // What is read can be drawn, down to the deepest zoom.
        let basemap = try Basemap(map: map, styles: [try CarriedMap.styles.get()[0]])
        for zoom in [0, 5, 22] as [UInt8] {
            let world = 256 << Int(zoom)
            let image = try basemap.image(
                of: .init(
                    zoom: zoom, scale: 1, originX: world / 2 - 32, originY: world / 2 - 32,
                    width: 64, height: 64))
            #expect(image.pixels.allSatisfy { $0 > 0 })
        }
    }

    @Test("the carried map covers the world and fits its limit")
    func carried() throws {
        let file = try CarriedMap.file.get()
        #expect(file.count <= 4_000_000)
        let map = try CarriedMap.map.get()
        #expect(map.bands.count == 5)
        #expect(map.labels.count { $0.kind == .capital } > 180)
        #expect(map.labels.count { $0.kind == .country } == 177)
        #expect(map.labels.contains { $0.name == "Tokyo" && $0.kind == .capital })
        #expect(map.labels.contains { $0.name == "Suva" })
        for band in map.bands {
            #expect(band.land.count > 200)
            #expect(band.provinces.count > 0 || band.zooms.upperBound < 4)
        }
    }
}
