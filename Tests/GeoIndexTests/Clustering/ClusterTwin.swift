import GeoIndex

/// The definition of clusters, word by word, over all cells of the world: the oracle.
struct ClusterTwin {
    struct Cluster: Hashable {
        var id: UInt64
        var x: Int
        var y: Int
        var count: Int
        var members: [Int]
    }

    /// All clusters of some places at a zoom and radius; `members` are indices of `places`.
    static func clusters(of places: [WorldPoint], zoom: Int, radius: Int) -> [Cluster] {
        var side = 1
        while 2 * (side * 2) * (side * 2) <= radius * radius { side *= 2 }
        let level = zoom + 8 - side.trailingZeroBitCount
        var cells: [UInt64: [Int]] = [:]
        for (index, place) in places.enumerated() {
            var key: UInt64 = 0
            for bit in 0..<level {
                let column = UInt64(place.x >> UInt32(31 - bit) & 1)
                let row = UInt64(place.y >> UInt32(31 - bit) & 1)
                key = key * 4 + row * 2 + column
            }
            cells[key, default: []].append(index)
        }
        let ordered = cells.map { key, members in
            Cell(
                key: key, x: members.reduce(0) { $0 + Int(places[$1].x) } / members.count,
                y: members.reduce(0) { $0 + Int(places[$1].y) } / members.count, members: members)
        }.sorted { ($0.magnitude, $1.hash) > ($1.magnitude, $0.hash) }
        var seeds: [Cell] = []
        var owned: [UInt64: [Int]] = [:]
        for cell in ordered {
            let owner = seeds.first { $0.reaches(cell, radius << (24 - zoom)) } ?? cell
            if owner.key == cell.key { seeds.append(cell) }
            owned[owner.key, default: []] += cell.members
        }
        return seeds.map { seed in
            let members = (owned[seed.key] ?? []).sorted()
            return Cluster(
                id: (1 << UInt64(2 * level)) + seed.key, x: seed.x, y: seed.y,
                count: members.count, members: members)
        }.sorted { $0.id < $1.id }
    }

    private struct Cell {
        var key: UInt64
        var x: Int
        var y: Int
        var members: [Int]

        var magnitude: Int { Int.bitWidth - 1 - members.count.leadingZeroBitCount }

        var hash: UInt64 {
            var z = key
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }

        func reaches(_ other: Cell, _ reach: Int) -> Bool {
            let apart = abs(x - other.x)
            let dx = Double(min(apart, 1 << 32 - apart))
            let dy = Double(y - other.y)
            // Exact in a double up to 2^53 and far from a tie beyond; ties are tested with whole
            // numbers below.
            let bound = Double(reach) * Double(reach)
            if abs(dx * dx + dy * dy - bound) > bound * 1e-9 { return dx * dx + dy * dy < bound }
            let wide = Int(dx).multipliedFullWidth(by: Int(dx))
            let high = Int(dy).multipliedFullWidth(by: Int(dy))
            let (low, carry) = wide.low.addingReportingOverflow(high.low)
            let squares = (wide.high + high.high + (carry ? 1 : 0), low)
            let limit = reach.multipliedFullWidth(by: reach)
            return squares < (limit.high, limit.low)
        }
    }
}
