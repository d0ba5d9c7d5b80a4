/// The sums of a grid's occupied cells, in the order in which they were first met.
struct BucketSums {
    /// A cell, how many places lie in it, and the sums of their coordinates.
    struct Sum {
        var key: UInt64
        var count: Int
        var sumX: Int64
        var sumY: Int64
    }

    private var sums: [Sum] = []
    private var places: [UInt64: Int] = [:]
    /// Neighbours on the Z-curve mostly lie in one cell, which needs no look-up.
    private var last = -1

    var count: Int { sums.count }

    /// Adds places of one cell.
    @inline(__always)
    mutating func add(_ sum: Sum) {
        if last < 0 || sums[last].key != sum.key { turn(to: sum.key) }
        sums[last].count += sum.count
        // 2^31 places of less than 2^32 units fit.
        sums[last].sumX += sum.sumX
        sums[last].sumY += sum.sumY
    }

    private mutating func turn(to key: UInt64) {
        if let place = places[key] {
            last = place
            return
        }
        last = sums.count
        places[key] = last
        sums.append(Sum(key: key, count: 0, sumX: 0, sumY: 0))
    }

    /// By ascending key.
    var sorted: [Sum] { sums.sorted { $0.key < $1.key } }
}

/// Counts by tiles. Places are points of the Web Mercator square.
struct TileFold: AreaVisitor {
    let zoom: UInt8
    let limit: Int
    private(set) var sums = BucketSums()

    init(zoom: UInt8, limit: Int) {
        self.zoom = zoom
        self.limit = limit
    }

    private var shift: UInt64 { 64 - 2 * UInt64(zoom) }

    // Once there are too many cells nothing is looked at any more.
    mutating func takes(_ summary: NodeSummary) -> Bool { sums.count > limit }

    mutating func visit(whole page: LeafPage) {
        guard sums.count <= limit else { return }
        let cell = page.firstKey >> shift
        guard cell == page.lastKey >> shift else {
            for index in 0..<page.count { add(page, index) }
            return
        }
        let summary = page.summary
        sums.add(
            BucketSums.Sum(
                key: cell, count: summary.count, sumX: Int64(summary.sumX),
                sumY: Int64(summary.sumY)))
    }

    mutating func visit(_ page: LeafPage, _ indices: Span<UInt16>) {
        guard sums.count <= limit else { return }
        for place in indices.indices { add(page, Int(indices[place])) }
    }

    @inline(__always)
    private mutating func add(_ page: LeafPage, _ index: Int) {
        sums.add(
            BucketSums.Sum(
                key: page.key(index) >> shift, count: 1, sumX: Int64(page.xs[index]),
                sumY: Int64(page.ys[index])))
    }

    func bucket(of sum: BucketSums.Sum) -> GridBucket {
        TileFold.bucket(
            of: CellRun(
                key: sum.key, sumX: UInt64(sum.sumX), sumY: UInt64(sum.sumY), weight: 0,
                count: UInt32(sum.count)), zoom: zoom)
    }

    static func bucket(of run: CellRun, zoom: UInt8) -> GridBucket {
        let cell = QuadCell(level: zoom, key: run.key)
        // The middle of the mean unit, as clusters' points are.
        let point = WorldPoint(
            x: UInt32(run.sumX / UInt64(run.count)), y: UInt32(run.sumY / UInt64(run.count)))
        return GridBucket(
            key: "\(zoom)/\(cell.x)/\(cell.y)", count: Int(run.count),
            centroid: RoundedPosition(
                lonE7: Int32((point.middleLon * 1e7).rounded()),
                latE7: Int32((point.middleLat * 1e7).rounded())))
    }
}

/// Counts by geohashes. Places are whole units of longitude and latitude.
struct GeohashFold: AreaVisitor {
    let precision: Int
    let limit: Int
    private(set) var sums = BucketSums()

    init(precision: Int, limit: Int) {
        self.precision = precision
        self.limit = limit
    }

    // Once there are too many cells nothing is looked at any more.
    mutating func takes(_ summary: NodeSummary) -> Bool { sums.count > limit }

    mutating func visit(whole page: LeafPage) {
        guard sums.count <= limit else { return }
        let summary = page.summary
        let first = Geohash.bits(
            lonE7: summary.west, latE7: summary.south, precision: precision)
        let last = Geohash.bits(
            lonE7: summary.east, latE7: summary.north, precision: precision)
        let xs = page.xs
        let latE7 = page.latE7
        // Two corners in one cell have all between them there.
        guard first == last else {
            for index in 0..<page.count { add(xs[index], latE7[index]) }
            return
        }
        var sum = BucketSums.Sum(key: first, count: page.count, sumX: 0, sumY: 0)
        for index in 0..<page.count {
            sum.sumX += Int64(ColumnLongitude.lonE7(ofColumn: xs[index]))
            sum.sumY += Int64(latE7[index])
        }
        sums.add(sum)
    }

    mutating func visit(_ page: LeafPage, _ indices: Span<UInt16>) {
        guard sums.count <= limit else { return }
        let xs = page.xs
        let latE7 = page.latE7
        for place in indices.indices {
            add(xs[Int(indices[place])], latE7[Int(indices[place])])
        }
    }

    @inline(__always)
    private mutating func add(_ x: UInt32, _ latE7: Int32) {
        // A column's longitude is that of -180° for +180° too.
        let lon = ColumnLongitude.lonE7(ofColumn: x)
        sums.add(
            BucketSums.Sum(
                key: Geohash.bits(lonE7: lon, latE7: latE7, precision: precision), count: 1,
                sumX: Int64(lon), sumY: Int64(latE7)))
    }

    func bucket(of sum: BucketSums.Sum) -> GridBucket {
        GridBucket(
            key: Geohash(bits: sum.key, precision: precision).text, count: sum.count,
            centroid: RoundedPosition(
                lonE7: Int32((Double(sum.sumX) / Double(sum.count)).rounded()),
                latE7: Int32((Double(sum.sumY) / Double(sum.count)).rounded())))
    }
}
