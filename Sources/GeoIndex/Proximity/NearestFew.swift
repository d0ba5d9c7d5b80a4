import Glibc

/// The few objects nearest to a place, the common question, by the shortest way.
///
/// The page in which the place would stand bounds the answer; the boxes of the tree's nodes lead to
/// what else is as near. A ``PlaneSeries`` proposes entries; with a the last of the best proposed haversines, E the error of the series in the ``PlaneBox`` of B = 1.05·a, and T
/// the threshold a + 2E:
///
/// - Places outside of the box are proposed with more than 1.05²·B, so the best lie in it, and are
///   truly no farther than a + E, which is less than B for E ≤ 0.02·B. All that is as near as
///   that lies in the box too, and is proposed with at most T.
/// - Its key lies in the ``KeyRanges`` of that box. They leave out pages that hold the end of one
///   city and the start of another on the Z-curve, whose boxes span all between.
/// - A child's box that holds such a place has a place whose cosine is at least that of the box's
///   lowest latitude, l: the ``BoxGaps`` of the child, which count c for it, are at most T·c/l.
///
/// The haversine (or, on the ellipsoid, the geodesic) puts in order what is left, ties by id. A
/// metric whose order differs from that of the haversines by a factor f widens the two bounds by f.
@safe struct NearestFew {
    /// The greatest limit of this way.
    static let greatestLimit = 32
    /// Limits up to this one are bounded by the least of 16 groups of a page.
    private static let groupedLimit = 12
    /// Proposals that are kept before those that have become too far are dropped.
    static let capacity = 64
    /// Above this no box of places is near.
    private static let greatestGap: Float = 2e-3

    /// An entry that may be among the nearest. The snapshot keeps its page.
    @safe struct Proposal {
        var haversine: Float = .infinity
        var index: UInt16 = 0
        var page: Unmanaged<LeafPage>?
    }

    private let centre: RoundedPosition
    private let series: PlaneSeries
    private let gaps: BoxGaps
    let cosine: Double
    private let factor: Double
    private let filter: ResolvedFilter?
    /// Asked before the filter, which is copied for every question.
    private let isFiltered: Bool
    /// The most that a proposal may have.
    private var threshold = Float.infinity
    /// The most that a box may have, as ``BoxGaps`` has it.
    private var greatestGap: Int32
    /// The haversine for which the error was computed.
    private var bounded = Float.infinity
    private var error: Float = 0
    /// Half the box that holds all that is as near.
    private var columns: UInt32 = 0
    private var rows: UInt32 = 0
    /// Keys of what is as near as the best of the first page.
    private var ranges: KeyRanges?
    /// Approximate haversines of the best so far.
    private var best: AscendingFloats
    private let limit: Int
    /// The page that was looked at first. The snapshot keeps it.
    private var home: Unmanaged<LeafPage>?
    /// Room for ``capacity``.
    private let proposals: UnsafeMutableBufferPointer<Proposal>
    private var count = 0
    /// - Parameters:
    ///   - factor: By how much the order of the haversines may be wrong.
    ///   - room: Room for ``capacity`` proposals, as long as the search lives.
    @inline(__always)
    init(
        _ centre: RoundedPosition, limit: Int, factor: Double, filter: ResolvedFilter?,
        room: UnsafeMutableBufferPointer<Proposal>
    ) {
        unsafe proposals = room
        let lat = Double(centre.latE7) * SphericalGeodesy.radiansPerE7
        cosine = cos(lat)
        series = PlaneSeries(centre, cosine: cosine, sine: sin(lat))
        gaps = BoxGaps(series)
        greatestGap = BoxGaps.key(NearestFew.greatestGap)
        best = AscendingFloats(count: limit)
        self.centre = centre
        self.limit = limit
        self.factor = factor
        self.filter = filter
        isFiltered = filter != nil
    }

    /// Looks at all that can hold an answer; false when the plane is of no use, too much is
    /// equally near, or there is too little.
    mutating func search(_ snapshot: IndexSnapshot) -> Bool {
        let point = WorldPoint(centre)
        let key = MortonKey(point).bits
        guard let page = snapshot.page(reaching: key), scan(page) else { return false }
        if case .node(let node) = snapshot.root {
            unsafe home = Unmanaged.passUnretained(page)
            if bounded < .infinity {
                ranges = KeyRanges(around: point, columns: columns, rows: rows)
            }
            if !enter(node) { return false }
        }
        return bounded < .infinity
    }

    private mutating func enter(_ node: TreeNode) -> Bool {
        var distances = gaps.distances(node.boxes)
        while true {
            let (child, key) = distances.popLeast()
            if key > greatestGap { return true }
            guard ranges?.meet(node.firstKeys[child], node.lastKeys[child]) ?? true else {
                continue
            }
            switch node.children {
            case .pages(let pages): if !scanOther(pages[child]) { return false }
            case .nodes(let nodes): if !enter(nodes[child]) { return false }
            }
        }
    }

    private mutating func scanOther(_ page: LeafPage) -> Bool {
        if unsafe home?.toOpaque() == Unmanaged.passUnretained(page).toOpaque() { return true }
        return scan(page)
    }

    private mutating func scan(_ page: LeafPage) -> Bool {
        if isFiltered, let filter, !filter.mayKeep(page.summary) { return true }
        return unsafe withUnsafeTemporaryAllocation(
            of: Float.self, capacity: LeafPage.capacity + LeafPage.capacity / 16
        ) { room in
            guard let start = room.baseAddress else { return false }
            return unsafe scan(page, start, start + LeafPage.capacity)
        }
    }

    /// - Parameters:
    ///   - room: Room for the haversines of a page.
    ///   - leasts: Room for the least of each 16 of them.
    @inline(__always)
    private mutating func scan(
        _ page: LeafPage, _ room: UnsafeMutablePointer<Float>,
        _ leasts: UnsafeMutablePointer<Float>
    ) -> Bool {
        let bound = unsafe approximate(page, room, leasts)
        if bounded == .infinity && !isFiltered && limit <= NearestFew.groupedLimit {
            if bound < .infinity && !narrow(to: bound) { return false }
        }
        let count = page.count
        // What is behind the last entry is infinite, which a threshold may be too.
        for block in 0..<((count &+ 15) &>> 4) where unsafe leasts[block] <= threshold {
            for index in (16 &* block)..<min(16 &* block &+ 16, count) {
                let haversine = unsafe room[index]
                if haversine <= threshold && !propose(page, index, haversine) { return false }
            }
        }
        if best.last < bounded / 2 { return narrow(to: best.last) }
        return true
    }

    /// Writes the haversines of a page and the least of each 16, and gives a bound that as many as
    /// the limit do not exceed: where there is none yet and the limit is small, the one of that
    /// rank among the least of 16 groups.
    @inline(__always)
    private func approximate(
        _ page: LeafPage, _ room: UnsafeMutablePointer<Float>,
        _ leasts: UnsafeMutablePointer<Float>
    ) -> Float {
        let start = unsafe page.block
        let layout = page.layout
        let blocks = (layout.count &+ 15) &>> 4
        // The layout says where the columns are. A page has at most 256 entries, in 16 blocks.
        unsafe series.write(
            (start + layout.xs).assumingMemoryBound(to: UInt32.self),
            (start + layout.lats).assumingMemoryBound(to: Int32.self), layout.count, to: room)
        for index in layout.count..<(16 &* blocks) { unsafe room[index] = .infinity }
        let infinite = SIMD4<Float>(repeating: .infinity)
        var groups = (infinite, infinite, infinite, infinite)
        for block in 0..<blocks {
            let bytes = unsafe UnsafeRawPointer(room + 16 &* block)
            let (a, b, c, d) = unsafe (
                bytes.loadUnaligned(as: SIMD4<Float>.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self),
                bytes.loadUnaligned(fromByteOffset: 32, as: SIMD4<Float>.self),
                bytes.loadUnaligned(fromByteOffset: 48, as: SIMD4<Float>.self)
            )
            let least = NearestFew.lesser(NearestFew.lesser(a, b), NearestFew.lesser(c, d))
            unsafe leasts[block] = min(min(least[0], least[1]), min(least[2], least[3]))
            groups = (groups.1, groups.2, groups.3, NearestFew.lesser(groups.0, least))
        }
        guard bounded == .infinity && limit <= NearestFew.groupedLimit else { return .infinity }
        var bound = AscendingFloats(count: limit)
        for lane in 0..<4 {
            bound.insert(groups.0[lane])
            bound.insert(groups.1[lane])
            bound.insert(groups.2[lane])
            bound.insert(groups.3[lane])
        }
        return bound.last
    }

    @inline(__always)
    private static func lesser(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
        a.replacing(with: b, where: b .< a)
    }

    /// Makes the bounds those of a haversine that the best do not exceed; false when the plane is
    /// of no use for it.
    private mutating func narrow(to haversine: Float) -> Bool {
        guard
            let box = PlaneBox(haversine: 1.05 * factor * Double(haversine), cosine: cosine)
        else { return false }
        error = Float(box.error).nextUp
        bounded = haversine
        columns = box.columns
        rows = box.rows
        threshold = threshold(for: haversine)
        let gap = Float(Double(threshold) * cosine / box.lowest * (1 + 0x1p-20))
        guard gap < NearestFew.greatestGap else { return false }
        greatestGap = BoxGaps.key(gap)
        return true
    }

    @inline(__always)
    private func threshold(for haversine: Float) -> Float {
        (haversine + error) * Float(factor) + error
    }

    @inline(__always)
    private mutating func propose(_ page: LeafPage, _ index: Int, _ haversine: Float) -> Bool {
        if isFiltered, let filter, !filter.keeps(page, index) { return true }
        if count == NearestFew.capacity {
            dropFar()
            // What stays is equally near but for the error.
            if count > NearestFew.capacity * 3 / 4 { return false }
        }
        unsafe proposals[count] = Proposal(
            haversine: haversine, index: UInt16(truncatingIfNeeded: index),
            page: Unmanaged.passUnretained(page))
        count &+= 1
        best.insert(haversine)
        if best.last < bounded {
            if bounded == .infinity { return narrow(to: best.last) }
            threshold = min(threshold, threshold(for: best.last))
        }
        return true
    }

    private mutating func dropFar() {
        var kept = 0
        for number in 0..<count where unsafe proposals[number].haversine <= threshold {
            unsafe proposals[kept] = proposals[number]
            kept &+= 1
        }
        count = kept
    }

    /// Calls `body` with the proposals that the last threshold leaves.
    @inline(__always)
    func forEachProposal(_ body: (LeafPage, Int) -> Void) {
        for number in 0..<count where unsafe proposals[number].haversine <= threshold {
            let proposal = unsafe proposals[number]
            unsafe proposal.page?._withUnsafeGuaranteedRef { body($0, Int(proposal.index)) }
        }
    }
}
