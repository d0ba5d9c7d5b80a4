import CProcessor
import Glibc

/// The few objects nearest to a place, the common question, by the shortest way.
///
/// The page in which the place would stand bounds the answer; the boxes of the tree's nodes, and of
/// the ``PageGroups`` in a page, lead to what else is as near. A ``PlaneSeries`` proposes entries;
/// with a the last of the best proposed haversines, E the error of the series in the ``PlaneBox`` of
/// B = 1.05·a, and T the threshold a + 2E:
///
/// - Places outside of the box are proposed with more than 1.05²·B, so the best lie in it, and are
///   truly no farther than a + E, which is less than B for E ≤ 0.02·B. All that is as near as
///   that lies in the box too, and is proposed with at most T.
/// - Its key lies in the ``KeyRanges`` of that box. They leave out pages that hold the end of one
///   city and the start of another on the Z-curve, whose boxes span all between.
/// - The box of a child or a group that holds such a place has a place whose cosine is at least that
///   of the box's lowest latitude, l: its ``BoxGaps``, which count c for it, are at most T·c/l.
/// - What held of a greater a still holds when it becomes less.
///
/// The haversine (or, on the ellipsoid, the geodesic) puts in order what is left, ties by id. A
/// metric whose order differs from that of the haversines by a factor f widens the two bounds by f.
@safe struct NearestFew {
    /// The greatest limit of this way.
    static let greatestLimit = 32
    /// Proposals that are kept before those that have become too far are dropped.
    static let capacity = 64
    /// Above this no box of places is near.
    private static let greatestGap: Float = 2e-3

    /// Bytes of a line of the cache.
    private static let lineBytes = PageLayout.lineBytes
    /// Pages that come at once, at most.
    private static let fetched = 8

    /// An entry that may be among the nearest. The snapshot keeps its page.
    @safe struct Proposal {
        var haversine: Float
        var index: UInt16
        var page: UncountedPage
    }

    private let centre: RoundedPosition
    private let series: PlaneSeries
    private let gaps: BoxGaps
    private(set) var cosine: Double
    private(set) var sine: Double
    private let factor: Double
    private let filter: ResolvedFilter?
    /// Asked before the filter, which is copied for every question.
    private let isFiltered: Bool
    /// The most that a proposal may have.
    private var threshold = Float.infinity
    /// The most that a box may have, as ``BoxGaps`` has it.
    private var greatestGap = BoxGaps.key(NearestFew.greatestGap)
    /// A gap for a threshold.
    private var gapShare: Float = 1
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
    /// The page that was looked at first.
    private let home: ChildPlace
    /// Room for ``capacity``.
    private let proposals: UnsafeMutableBufferPointer<Proposal>
    private var count = 0

    /// - Parameters:
    ///   - home: The page in which the centre would stand. The caller keeps the snapshot.
    ///   - factor: By how much the order of the haversines may be wrong.
    ///   - room: Room for ``capacity`` proposals, as long as the search lives.
    @inline(__always)
    init(
        _ centre: RoundedPosition, from home: ChildPlace, limit: Int, factor: Double,
        filter: ResolvedFilter?, room: UnsafeMutableBufferPointer<Proposal>
    ) {
        self.home = home
        unsafe proposals = room
        let lat = Double(centre.latE7) * SphericalGeodesy.radiansPerE7
        // They come meanwhile.
        if let page = home.page { NearestFew.fetchBoxes(of: page) }
        (sine, cosine) = (0, 0)
        unsafe geo_sincos(lat, &sine, &cosine)
        series = PlaneSeries(centre, cosine: cosine, sine: sine)
        gaps = BoxGaps(series)
        best = AscendingFloats(count: limit)
        self.centre = centre
        self.factor = factor
        self.filter = filter
        isFiltered = filter != nil
    }

    /// Looks at all that can hold an answer; false when the plane is of no use, too much is
    /// equally near, or there is too little.
    mutating func search(_ root: ChildPlace, around point: WorldPoint) -> Bool {
        guard scan(home) else { return false }
        if let node = unsafe root.node {
            if bounded < .infinity {
                ranges = KeyRanges(around: point, columns: columns, rows: rows)
            }
            guard unsafe enter(node) else { return false }
        }
        return bounded < .infinity
    }

    private mutating func enter(_ node: Unmanaged<TreeNode>) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: TreeNode.capacity) { room in
            guard let keys = room.baseAddress else { return false }
            let found = unsafe node._withUnsafeGuaranteedRef { unsafe select($0, into: keys) }
            if found > 1 { unsafe fetch(node, keys, found) }
            for place in 0..<found {
                let key = unsafe keys[place]
                // It may have come down since.
                if key > greatestGap { return true }
                let child = unsafe node._withUnsafeGuaranteedRef {
                    $0.uncounted(BoxGaps.number(key))
                }
                guard let child else { return false }
                if let node = unsafe child.node {
                    guard unsafe enter(node) else { return false }
                } else if unsafe child.block != home.block {
                    guard scan(child) else { return false }
                }
            }
            return true
        }
    }

    /// Writes the keys of the children that may hold an answer, nearest first, and gives their
    /// number.
    private func select(_ node: TreeNode, into keys: UnsafeMutablePointer<Int32>) -> Int {
        unsafe node.heads.boxes.numbers.withUnsafeBufferPointer { unsafe gaps.write($0, to: keys) }
        var found = 0
        for child in 0..<node.childCount {
            let key = unsafe keys[child]
            guard key <= greatestGap,
                ranges?.meet(node.heads.firstKeys[child], node.heads.lastKeys[child]) ?? true
            else { continue }
            // What is written is not behind what is read.
            var place = found
            while place > 0, unsafe keys[place &- 1] > key {
                unsafe keys[place] = keys[place &- 1]
                place &-= 1
            }
            unsafe keys[place] = key
            found &+= 1
        }
        return found
    }

    /// Lets the boxes in the pages among the children come, all at once.
    private func fetch(
        _ node: Unmanaged<TreeNode>, _ keys: UnsafePointer<Int32>, _ count: Int
    ) {
        for place in 0..<min(count, NearestFew.fetched) {
            let child = unsafe node._withUnsafeGuaranteedRef {
                unsafe $0.uncounted(BoxGaps.number(keys[place]))
            }
            if let page = child?.page { NearestFew.fetchBoxes(of: page) }
        }
    }

    @inline(__always)
    private static func fetchBoxes(of page: UncountedPage) {
        for line in stride(from: 0, to: PageGroups.bytes, by: NearestFew.lineBytes) {
            unsafe geo_prefetch(page.block + line)
        }
    }

    /// Lets the entries of a group come.
    @inline(__always)
    private func fetch(_ group: Int, _ start: UnsafeRawPointer, _ layout: PageLayout) {
        // A line of either column.
        let first = NearestFew.lineBytes &* group
        unsafe geo_prefetch(start + (layout.xs &+ first))
        unsafe geo_prefetch(start + (layout.lats &+ first))
    }

    private mutating func scan(_ place: ChildPlace) -> Bool {
        guard let page = place.page else { return false }
        if isFiltered, let filter {
            let mayKeep = unsafe page.page._withUnsafeGuaranteedRef {
                filter.mayKeep($0.summary)
            }
            if !mayKeep { return true }
        }
        let (start, layout) = unsafe (page.block, page.layout)
        var keys = GroupKeys(gaps, unsafe PageGroups(start, place.groupsHead))
        // Four at a time, so that they come together.
        while true {
            let four = keys.popFour(notAbove: greatestGap)
            for place in 0..<4 where four[place] <= greatestGap {
                unsafe fetch(BoxGaps.number(four[place]), start, layout)
            }
            for place in 0..<4 where four[place] <= greatestGap {
                let group = BoxGaps.number(four[place])
                if group &* PageGroups.size >= layout.count { continue }
                guard scan(group, of: page) else { return false }
                if best.last < bounded { follow() }
            }
            if four[3] > greatestGap { break }
        }
        if bounded == .infinity { return best.last == .infinity }
        // The error and the box follow here, not after every group.
        if best.last < bounded / 2 { _ = narrow(to: best.last) }
        return true
    }

    /// Proposes entries of a group of a page.
    @inline(__always)
    private mutating func scan(_ group: Int, of page: UncountedPage) -> Bool {
        let (start, layout) = unsafe (page.block, page.layout)
        return unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: PageGroups.size) {
            room in
            guard let haversines = room.baseAddress else { return false }
            let first = group &* PageGroups.size
            // The layout says where the columns are. Behind the last entry of a group that is not
            // full other columns follow, or the rest of the block.
            let xs = unsafe (start + layout.xs).assumingMemoryBound(to: UInt32.self)
            let lats = unsafe (start + layout.lats).assumingMemoryBound(to: Int32.self)
            unsafe series.write(xs + first, lats + first, PageGroups.size, to: haversines)
            var near = unsafe NearestFew.lanes(of: haversines, notAbove: threshold)
            // 16 at most.
            let entries = min(PageGroups.size, layout.count &- first)
            near &= 1 &<< UInt32(entries) &- 1
            while near != 0 {
                let lane = near.trailingZeroBitCount
                near &= near &- 1
                let haversine = unsafe haversines[lane]
                if haversine > threshold { continue }
                guard propose(page, first &+ lane, haversine) else { return false }
            }
            return true
        }
    }

    /// A bit for each of a group's numbers that is not above another.
    @inline(__always)
    private static func lanes(of numbers: UnsafePointer<Float>, notAbove most: Float) -> UInt32 {
        let all = unsafe UnsafeRawPointer(numbers).loadUnaligned(as: SIMD16<Float>.self)
        let bits = SIMD16<UInt32>.zero.replacing(with: laneBits, where: all .<= most)
        return bits.wrappedSum()
    }

    private static var laneBits: SIMD16<UInt32> {
        SIMD16(
            1, 2, 4, 8, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12,
            1 << 13, 1 << 14, 1 << 15)
    }

    /// Lets the bounds follow the best after a group.
    @inline(__always)
    private mutating func follow() {
        if bounded == .infinity {
            // Of no use yet, perhaps, when few places were looked at.
            _ = narrow(to: best.last)
        } else {
            greatestGap = BoxGaps.key(threshold * gapShare)
        }
    }

    /// Makes the bounds those of a haversine that the best do not exceed; false when the plane is
    /// of no use for it.
    private mutating func narrow(to haversine: Float) -> Bool {
        guard
            let box = PlaneBox(haversine: 1.05 * factor * Double(haversine), cosine: cosine)
        else { return false }
        let error = Float(box.error).nextUp
        let threshold = threshold(for: haversine, error)
        let gapShare = Float(cosine / box.lowest * (1 + 0x1p-20))
        guard threshold * gapShare < NearestFew.greatestGap else { return false }
        self.error = error
        self.threshold = threshold
        self.gapShare = gapShare
        bounded = haversine
        columns = box.columns
        rows = box.rows
        greatestGap = BoxGaps.key(threshold * gapShare)
        return true
    }

    @inline(__always)
    private func threshold(for haversine: Float, _ error: Float) -> Float {
        (haversine + error) * Float(factor) + error
    }

    @inline(__always)
    private mutating func propose(
        _ page: UncountedPage, _ index: Int, _ haversine: Float
    ) -> Bool {
        if isFiltered, let filter {
            let keeps = unsafe page.page._withUnsafeGuaranteedRef { filter.keeps($0, index) }
            if !keeps { return true }
        }
        if count == NearestFew.capacity {
            dropFar()
            // What stays is equally near but for the error.
            if count > NearestFew.capacity * 3 / 4 { return false }
        }
        // It may be among those whose exact distance is asked for.
        unsafe geo_prefetch(page.block + (page.layout.objects &+ 8 &* index))
        unsafe proposals[count] = Proposal(
            haversine: haversine, index: UInt16(truncatingIfNeeded: index), page: page)
        count &+= 1
        best.insert(haversine)
        if best.last < bounded && bounded < .infinity {
            threshold = min(threshold, threshold(for: best.last, error))
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
    func forEachProposal(_ body: (UncountedPage, Int) -> Void) {
        for number in 0..<count where unsafe proposals[number].haversine <= threshold {
            let proposal = unsafe proposals[number]
            body(proposal.page, Int(proposal.index))
        }
    }
}
