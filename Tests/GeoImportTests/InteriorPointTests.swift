import GeoIndex
import Testing

@Suite("A position on a shape")
struct InteriorPointTests {
    static func positions(_ pairs: [(Double, Double)]) throws -> [LonLat] {
        try pairs.map { try LonLat(lon: $0.0, lat: $0.1) }
    }

    @Test("lies in a horseshoe, whose centre does not")
    func horseshoe() throws {
        let ring = try Self.positions([
            (0, 0), (10, 0), (10, 10), (9, 10), (9, 1), (1, 1), (1, 10), (0, 10), (0, 0),
        ])
        let place = try #require(InteriorPointFinder().position(on: .polygon([ring])))
        let isInLegs = (0...1).contains(place.lon) || (9...10).contains(place.lon)
        #expect(isInLegs || (0...1).contains(place.lat))
        #expect((0...10).contains(place.lat))
    }

    @Test("is stable, and there for shapes that GEOS refuses")
    func odd() throws {
        let finder = InteriorPointFinder()
        let bowtie = Shape.polygon([try Self.positions([(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)])])
        #expect(finder.position(on: bowtie) != nil)
        #expect(finder.position(on: bowtie) == InteriorPointFinder().position(on: bowtie))
        let short = Shape.polygon([try Self.positions([(3, 4), (5, 6)])])
        #expect(finder.position(on: short) == (try LonLat(lon: 3, lat: 4)))
        #expect(
            finder.position(on: .line(try Self.positions([(7, 8)]))) == (try LonLat(lon: 7, lat: 8))
        )
        #expect(finder.position(on: .collection([])) == nil)
        #expect(finder.position(on: .polygon([[]])) == nil)
        let cap = Shape.polygon([
            try Self.positions([(-180, 80), (180, 80), (180, 90), (-180, 90), (-180, 80)])
        ])
        #expect((80...90).contains(try #require(finder.position(on: cap)).lat))
    }
}
