import GeoIndex

/// The definition of clusters, word by word, over all objects around a window.
struct ClusterTwin {
    struct Cluster {
        var point: WorldPoint
        var count: Int
        /// Members by kind.
        var kinds: [String: Int]

        /// The most frequent kind; of equals the first by name.
        var dominantKind: String? { kinds.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
    }

    fileprivate struct Cell {
        let key: UInt64
        var x = 0
        var y = 0
        var count = 0
        var kinds: [String: Int] = [:]

        init(key: UInt64) { self.key = key }

        /// Cells come by ⌊log2 count⌋, larger first, then by the hash of their key.
        var rank: (Int, UInt64) { (count.leadingZeroBitCount, StableHash.finalize(key)) }
    }

    /// Cells around a window that may decide about clusters in it. Chains have no fixed bound, but
    /// none of these inputs has one near as long.
    private static let marginCells: UInt64 = 64

    private let level: UInt64
    private let reach: Int

    init(_ options: ClusterOptions) {
        level = UInt64(options.level)
        reach = options.radiusPixels << (24 - Int(options.zoom))
    }

    /// The clusters whose point lies in a window, by id.
    func clusters(of input: BenchInput, in window: WorldWindow) -> [UInt64: Cluster] {
        let around = window.expanded(by: ClusterTwin.marginCells << (32 - level))
        var cells: [UInt64: Cell] = [:]
        for placement in input.placements {
            let place = WorldPoint(placement.position)
            guard around.contains(place) else { continue }
            let key = MortonKey(place).bits >> (64 - 2 * level)
            cells[key, default: Cell(key: key)].add(place, kind: placement.kind)
        }
        var seeds: [Cell] = []
        var clusters: [UInt64: Cluster] = [:]
        for cell in cells.values.sorted(by: { $0.rank < $1.rank }) {
            let seed = seeds.first { reaches($0, cell) }
            if seed == nil { seeds.append(cell) }
            let owner = seed ?? cell
            clusters[
                1 << (2 * level) | owner.key,
                default: Cluster(point: owner.point, count: 0, kinds: [:])
            ].add(cell.count, cell.kinds)
        }
        return clusters.filter { window.contains($0.value.point) }
    }

    /// dx² + dy² < reach², dx the shorter way round.
    private func reaches(_ first: Cell, _ second: Cell) -> Bool {
        let from = first.point
        let to = second.point
        let dx = abs(Int(Int32(bitPattern: from.x &- to.x)))
        let dy = abs(Int(from.y) - Int(to.y))
        return dx < reach && dy < reach && dx * dx + dy * dy < reach * reach
    }
}

extension ClusterTwin.Cell {
    /// The floored mean of the members' places.
    fileprivate var point: WorldPoint {
        WorldPoint(x: UInt32(x / count), y: UInt32(y / count))
    }

    fileprivate mutating func add(_ place: WorldPoint, kind: String?) {
        x += Int(place.x)
        y += Int(place.y)
        count += 1
        if let kind { kinds[kind, default: 0] += 1 }
    }
}

extension ClusterTwin.Cluster {
    fileprivate mutating func add(_ members: Int, _ memberKinds: [String: Int]) {
        count += members
        kinds.merge(memberKinds, uniquingKeysWith: +)
    }
}
