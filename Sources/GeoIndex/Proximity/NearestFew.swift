import Glibc

/// The few objects nearest to a place, on the sphere, without a filter: the common question, by
/// the shortest way.
///
/// 1. The neighbours on the Z-curve bound the answer from above.
/// 2. At most four quadtree cells hold all that is as near as that. Their keys lead straight to
///    the pages that can hold an answer.
/// 3. A ``LocalPlane`` proposes: what its error leaves open against the last of the best so far.
/// 4. The haversine puts the proposals in order, ties by id.
struct NearestFew {
    /// The greatest limit of this way.
    static let greatestLimit = 32
    /// Pages with proposals before the search is given up.
    private static let greatestPages = 4_096
    /// Proposals that are kept before those that have become too far are dropped.
    private static let capacity = 96

    /// An entry that may be among the nearest, and the number of its page.
    struct Proposal {
        var haversine: Float
        var page: UInt16
        var index: UInt16
    }

    private let plane: LocalPlane
    private let keys: KeyRanges
    /// The most that a proposal may have.
    private var threshold: Float
    /// Approximate haversines of the best so far.
    private var best: AscendingFloats
    private(set) var proposals: [Proposal] = []
    /// The pages of proposals, in the order in which they were looked at.
    private(set) var pages: [LeafPage] = []

    /// nil where the plane is of no use or the neighbours are too few: then the answer has to be
    /// looked for in another way.
    init?(_ snapshot: IndexSnapshot, _ centre: RoundedPosition, limit: Int) {
        guard limit <= NearestFew.greatestLimit else { return nil }
        let point = WorldPoint(centre)
        let lat = Double(centre.latE7) * SphericalGeodesy.radiansPerE7
        let cosine = cos(lat)
        guard
            let bound = snapshot.haversine(
                around: point, centre, cosine: cosine, count: limit),
            let plane = LocalPlane(centre, haversine: bound, cosine: cosine, sine: sin(lat))
        else { return nil }
        best = AscendingFloats(count: limit)
        self.plane = plane
        keys = KeyRanges(around: point, columns: plane.columns, rows: plane.rows)
        threshold = plane.greatest + plane.error
        proposals.reserveCapacity(NearestFew.capacity)
    }

    /// Looks at all pages that can hold an answer; false when too much is equally near.
    mutating func search(_ root: IndexSnapshot.Root) -> Bool {
        switch root {
        case .empty: true
        case .page(let page): scan(page)
        case .node(let node): enter(node)
        }
    }

    private mutating func enter(_ node: TreeNode) -> Bool {
        let keyColumn = node.firstKeys
        let summaryColumn = node.summaries
        let firstKeys = keyColumn.span
        let summaries = summaryColumn.span
        var index = 0
        for number in 0..<keys.count {
            let range = keys[number]
            index = max(index, node.firstChild(reaching: range.lowerBound))
            while index < firstKeys.count && firstKeys[index] <= range.upperBound {
                let child = index
                index += 1
                guard plane.nearest(summaries[child]) <= Double(threshold) else { continue }
                switch node.children {
                case .pages(let pages): if !scan(pages[child]) { return false }
                case .nodes(let nodes): if !enter(nodes[child]) { return false }
                }
            }
        }
        return true
    }

    private mutating func scan(_ page: LeafPage) -> Bool {
        let before = proposals.count
        var index = 0
        while index &+ 8 <= page.count {
            let haversines = plane.haversines(page, at: index)
            if any(haversines .<= threshold) {
                for lane in 0..<8 where haversines[lane] <= threshold {
                    propose(index &+ lane, haversines[lane])
                }
            }
            index &+= 8
        }
        while index < page.count {
            let haversine = plane.haversine(page.xs[index], page.latE7[index])
            if haversine <= threshold { propose(index, haversine) }
            index &+= 1
        }
        if proposals.count > before {
            pages.append(page)
            // So that a page's number fits.
            if pages.count > NearestFew.greatestPages { return false }
        }
        if proposals.count >= NearestFew.capacity / 2 {
            // What has become too far goes; what stays is equally near but for the error.
            proposals.removeAll { $0.haversine > threshold }
            return proposals.count < NearestFew.capacity / 2
        }
        return true
    }

    @inline(__always)
    private mutating func propose(_ index: Int, _ haversine: Float) {
        proposals.append(
            Proposal(
                haversine: haversine, page: UInt16(truncatingIfNeeded: pages.count),
                index: UInt16(truncatingIfNeeded: index)))
        best.insert(haversine)
        // The best are truly no farther than the last and the error; what is farther by another
        // error is none of them.
        threshold = min(threshold, best.last + 2 * plane.error)
    }
}

extension IndexSnapshot {
    /// The nearest objects by the short way; nil where it does not lead to them.
    func nearestFew(
        to centre: RoundedPosition, limit: Int, radius: Distance?
    ) -> [(haversine: Double, object: ObjectKey, position: RoundedPosition)]? {
        guard var search = NearestFew(self, centre, limit: limit), search.search(root) else {
            return nil
        }
        let cosine = cos(Double(centre.latE7) * SphericalGeodesy.radiansPerE7)
        let greatest = radius.map { SphericalGeodesy.haversine(of: $0) } ?? 1
        var found: [(haversine: Double, object: ObjectKey, position: RoundedPosition)] = []
        found.reserveCapacity(search.proposals.count)
        for proposal in search.nearestProposals {
            let page = search.pages[Int(proposal.page)]
            let index = Int(proposal.index)
            let position = RoundedPosition(
                trustedLonE7: page.lonE7(index), latE7: page.latE7[index])
            let haversine = SphericalGeodesy.haversine(
                from: centre, cosStart: cosine, to: position)
            if haversine > greatest { continue }
            let object = ObjectKey(bits: page.objects[index])
            var place = found.count
            found.append((haversine, object, position))
            while place > 0
                && (haversine < found[place - 1].haversine
                    || haversine == found[place - 1].haversine
                        && ids.precedes(object, found[place - 1].object))
            {
                found.swapAt(place - 1, place)
                place -= 1
            }
        }
        found.removeLast(max(0, found.count - limit))
        return found
    }

    /// A haversine within which at least `wanted` objects lie around a place: that of as many of
    /// the page in which the place would stand, not quite the nearest; nil when it has too few.
    ///
    /// Of 16 groups the 10th least, for example, is about the 15th least of all.
    ///
    /// - Complexity: O(log n + entries of a page).
    fileprivate func haversine(
        around point: WorldPoint, _ centre: RoundedPosition, cosine: Double, count wanted: Int
    ) -> Double? {
        guard let page = page(reaching: MortonKey(point).bits), page.count >= wanted else {
            return nil
        }
        let bound = UpperBound(point, latE7: centre.latE7, cosine: cosine)
        // The least of each of some groups of entries: as many different entries.
        var least = InlineArray<4, SIMD8<Float>>(repeating: SIMD8(repeating: .infinity))
        let groups = wanted <= 12 ? 2 : 4
        var block = 0
        while 8 &* block &+ 8 <= page.count {
            let haversines = bound.haversines(page, at: 8 &* block)
            let group = block & (groups &- 1)
            least[group] = least[group].replacing(
                with: haversines, where: haversines .< least[group])
            block &+= 1
        }
        var best = AscendingFloats(count: wanted)
        for group in 0..<groups {
            for lane in 0..<8 { best.insert(least[group][lane]) }
        }
        return best.last < .infinity ? Double(best.last) : nil
    }
}

/// Bounds of haversines from above, in floats: x² for sin² x, a column more than the columns
/// differ, and a cosine grows by no more than the latitude differs.
private struct UpperBound {
    /// More than the roundings of the floats below.
    private static let margin = 1 + 1e-5

    private let x: UInt32
    private let latE7: Int32
    private let cosine: Float
    private let perLat: Float
    private let lat2: Float
    private let lon2: Float

    init(_ point: WorldPoint, latE7: Int32, cosine: Double) {
        x = point.x
        self.latE7 = latE7
        let unit = SphericalGeodesy.radiansPerE7
        let column = 2 * Double.pi / 0x1p32
        self.cosine = Float(cosine)
        perLat = Float(unit)
        lat2 = Float(unit * unit / 4 * UpperBound.margin)
        lon2 = Float(cosine * column * column / 4 * UpperBound.margin)
    }

    @inline(__always)
    func haversines(_ page: LeafPage, at index: Int) -> SIMD8<Float> {
        // The caller has seen that the page has eight entries there.
        let xs = unsafe page.xs.bytes.unsafeLoadUnaligned(
            fromByteOffset: index &* 4, as: SIMD8<UInt32>.self)
        let lats = unsafe page.latE7.bytes.unsafeLoadUnaligned(
            fromByteOffset: index &* 4, as: SIMD8<Int32>.self)
        let columns = SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: xs &- x))
        let north = SIMD8<Float>(lats &- latE7)
        let east = columns.replacing(with: -columns, where: columns .< 0) + 1
        let away = north.replacing(with: -north, where: north .< 0)
        return north * north * lat2 + east * east * lon2 * (cosine + away * perLat)
    }
}

/// The least of many numbers, ascending.
struct AscendingFloats {
    private var numbers = InlineArray<32, Float>(repeating: .infinity)
    private let count: Int
    /// The greatest of them; infinite while there are too few.
    private(set) var last = Float.infinity

    /// - Precondition: `count` is in 1...32.
    init(count: Int) {
        precondition((1...32).contains(count), "\(count) numbers")
        self.count = count
    }

    @inline(__always)
    mutating func insert(_ number: Float) {
        guard number < last else { return }
        var place = count &- 1
        // Within the count, which is at most 32.
        while place > 0, unsafe numbers[unchecked: place &- 1] > number {
            unsafe numbers[unchecked: place] = numbers[unchecked: place &- 1]
            place &-= 1
        }
        unsafe numbers[unchecked: place] = number
        last = unsafe numbers[unchecked: count &- 1]
    }
}

extension NearestFew {
    /// The proposals that the last threshold leaves.
    fileprivate var nearestProposals: some Sequence<Proposal> {
        proposals.lazy.filter { [threshold] in $0.haversine <= threshold }
    }
}
