import GeoIndex
import Testing

/// The oracle itself, checked against its slower and plainer form and against figures by hand.
struct ClusterTwinTests {
    @Test("looking only at near seeds gives what looking at all gives", arguments: Shape.allCases)
    func nearSeedsSuffice(shape: Shape) {
        let places = shape.positions(count: 150, seed: 3).map { WorldPoint($0) }
        for zoom in [0, 1, 2, 5, 9, 12, 14, 18] {
            for radius in [16, 40, 100] {
                let twin = ClusterTwin(zoom: zoom, radius: radius)
                let cells = twin.cells(of: places)
                let near = twin.firstSeeds(among: cells)
                #expect(near == twin.firstSeedsPlainly(among: cells), "\(zoom), \(radius)")
            }
        }
    }

    @Test("four spots by hand")
    func fourSpots() {
        // At zoom 8 a pixel is 2^16 units and a cell of radius 40 is 2^20 wide.
        let cell: UInt32 = 1 << 20
        let places = [(10, 10), (12, 10), (12, 10), (14, 10), (18, 10)].map {
            WorldPoint(x: $0.0 * cell + 7, y: $0.1 * cell + 5)
        }
        let clusters = ClusterTwin.clusters(of: places, zoom: 8, radius: 40)
        // The two in the middle come first and reach 32 px to either side.
        #expect(clusters.map(\.count).sorted() == [1, 4])
        #expect(clusters.first { $0.count == 4 }?.members == [0, 1, 2, 3])
        #expect(clusters.first { $0.count == 4 }?.x == Int(12 * cell + 7))
        // Cell (18, 10): rows 01010, columns 10010, the row's bit first.
        #expect(clusters.first { $0.count == 1 }?.id == 1 << 24 + 0b01_10_00_11_00)
    }
}
