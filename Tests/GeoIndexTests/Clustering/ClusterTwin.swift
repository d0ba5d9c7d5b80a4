import GeoIndex

/// The definition of clusters, word by word, over all cells of the world: the oracle.
struct ClusterTwin {
    struct Cluster: Hashable {
        var id: UInt64
        var x: Int
        var y: Int
        var count: Int
        /// Indices of the places.
        var members: [Int]

        var point: WorldPoint { WorldPoint(x: UInt32(x), y: UInt32(y)) }
    }

    let radius: Int
    let zoom: Int
    let level: Int
    /// The radius in units of the world square.
    let reach: Int

    init(zoom: Int, radius: Int) {
        self.zoom = zoom
        self.radius = radius
        // The largest power of two of pixels with a diagonal of at most the radius.
        var side = 1
        while 2 * (side * 2) * (side * 2) <= radius * radius { side *= 2 }
        level = zoom + 8 - side.trailingZeroBitCount
        reach = radius << (24 - zoom)
    }

    /// All clusters of some places, ascending by id.
    static func clusters(of places: [WorldPoint], zoom: Int, radius: Int) -> [Cluster] {
        let twin = ClusterTwin(zoom: zoom, radius: radius)
        return twin.clusters(of: twin.cells(of: places)) { twin.firstSeeds(among: $0) }
    }

    /// The occupied cells, in the order of the definition.
    func cells(of places: [WorldPoint]) -> [Cell] {
        var members: [UInt64: [Int]] = [:]
        for (index, place) in places.enumerated() {
            members[ClusterTwin.key(of: place) >> UInt64(64 - 2 * level), default: []].append(index)
        }
        return members.map { key, members in
            Cell(
                key: key, x: members.reduce(0) { $0 + Int(places[$1].x) } / members.count,
                y: members.reduce(0) { $0 + Int(places[$1].y) } / members.count, members: members)
        }.sorted { ($0.magnitude, $1.hash) > ($1.magnitude, $0.hash) }
    }

    /// The clusters, given for each cell of the order the first seed that reaches it.
    func clusters(of ordered: [Cell], seeds: ([Cell]) -> [Int]) -> [Cluster] {
        var owned: [Int: [Int]] = [:]
        for (cell, owner) in zip(ordered, seeds(ordered)) {
            owned[owner, default: []] += cell.members
        }
        return owned.map { seed, members in
            Cluster(
                id: (1 << UInt64(2 * level)) + ordered[seed].key, x: ordered[seed].x,
                y: ordered[seed].y, count: members.count, members: members.sorted())
        }.sorted { $0.id < $1.id }
    }

    /// For each cell the first seed that reaches it, by looking at all seeds before it.
    func firstSeedsPlainly(among ordered: [Cell]) -> [Int] {
        var seeds: [Int] = []
        return ordered.indices.map { index in
            let owner = seeds.first { reaches(ordered[$0], ordered[index]) } ?? index
            if owner == index { seeds.append(index) }
            return owner
        }
    }

    /// The same, looking only at seeds in the same or a neighbouring square at least as wide as
    /// the reach.
    func firstSeeds(among ordered: [Cell]) -> [Int] {
        struct Square: Hashable {
            var column: Int
            var row: Int
        }
        var bits = 0
        while 1 << bits < reach { bits += 1 }
        let squares = 1 << (32 - bits)
        var seeds: [Square: [Int]] = [:]
        return ordered.indices.map { index in
            let cell = ordered[index]
            var owner = index
            for dy in -1...1 {
                for dx in -1...1 {
                    let near = Square(
                        column: ((cell.x >> bits) + dx + squares) % squares,
                        row: (cell.y >> bits) + dy)
                    for seed in seeds[near] ?? [] where reaches(ordered[seed], cell) {
                        owner = min(owner, seed)
                    }
                }
            }
            if owner == index {
                seeds[Square(column: cell.x >> bits, row: cell.y >> bits), default: []]
                    .append(index)
            }
            return owner
        }
    }

    func reaches(_ first: Cell, _ second: Cell) -> Bool {
        reaches((first.x, first.y), (second.x, second.y))
    }

    /// dx² + dy² < reach², dx the shorter way round.
    func reaches(_ first: (x: Int, y: Int), _ second: (x: Int, y: Int)) -> Bool {
        let apart = abs(first.x - second.x)
        let dx = min(apart, 1 << 32 - apart)
        let dy = abs(first.y - second.y)
        // Neither can be in reach otherwise, and below it the squares fit in 63 bits.
        guard dx < reach && dy < reach else { return false }
        return dx * dx + dy * dy < reach * reach
    }

    /// Bits of row and column in turn, the row's first.
    static func key(of place: WorldPoint) -> UInt64 {
        var key: UInt64 = 0
        for bit in 0..<32 {
            let column = UInt64(place.x >> UInt32(31 - bit) & 1)
            let row = UInt64(place.y >> UInt32(31 - bit) & 1)
            key = key * 4 + row * 2 + column
        }
        return key
    }

    struct Cell {
        let key: UInt64
        let x: Int
        let y: Int
        let members: [Int]
        /// ⌊log2 count⌋.
        let magnitude: Int
        let hash: UInt64

        init(key: UInt64, x: Int, y: Int, members: [Int]) {
            self.key = key
            self.x = x
            self.y = y
            self.members = members
            magnitude = Int.bitWidth - 1 - members.count.leadingZeroBitCount
            hash = ClusterTwin.hash(of: key)
        }
    }

    /// The SplitMix64 finaliser.
    static func hash(of key: UInt64) -> UInt64 {
        var z = key
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
