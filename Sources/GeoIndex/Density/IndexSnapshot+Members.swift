extension IndexSnapshot {
    /// How many objects lie nearer than the kernel's radius to a hotspot, by their pixels, and how
    /// many of each kind, by name. What has faded to nothing does not count.
    ///
    /// - Parameter query: What the hotspot was asked with; its filter may be another.
    /// - Complexity: when all objects count with their own weight, O(log n + entries of pages that
    ///   the circle's edge crosses), however many lie within it; else O(log n + entries around it).
    public func members(
        of hotspot: Hotspot, _ query: HotspotQuery
    ) -> (count: Int, kinds: [(kind: String, count: Int)]) {
        var circle = MemberCircle(hotspot, query)
        if let protection = query.protection {
            // Cells that the circle touches, whole, and no kinds: those are none of what may be told.
            let level = HeatProtection.level(zoom: query.zoom)
            let cells = protectedCells(in: circle.window, zoom: query.zoom, protection)
            let counts = cells.map { cell in
                circle.touches(QuadCell(level: level, key: cell.key)) ? cell.count : 0
            }
            return (counts.reduce(0, +), [])
        }
        if query.filter.keepsAll && query.options.isPlain {
            switch root {
            case .empty: break
            case .page(let page): circle.add(page, isInside: false)
            case .node(let node): circle.add(node)
            }
        } else {
            forEachHeatChunk(
                in: circle.window, level: query.zoom + 8, zoom: query.zoom, filter: query.filter,
                options: query.options
            ) { xs, ys, kinds, _ in circle.add(xs: xs, ys: ys, kinds: kinds) }
        }
        let counts = circle.counter.counts
        return (counts.reduce(0) { $0 + Int($1.count) }, named(counts))
    }
}

/// Counts what lies on pixels nearer than a radius to a pixel; columns go round the world.
private struct MemberCircle {
    /// The pixels of the circle, and those in the corners around it.
    let window: WorldWindow
    private(set) var counter = KindCounter()

    private let column: Int
    private let row: Int
    private let radius: Int
    private let shift: UInt32
    /// Half of the world's width, in pixels: at least twice the radius.
    private let half: Int

    init(_ hotspot: Hotspot, _ query: HotspotQuery) {
        shift = UInt32(24 - query.zoom)
        radius = query.options.radiusPixels
        half = 128 << Int(query.zoom)
        column = Int(hotspot.pixel.x >> shift)
        row = Int(hotspot.pixel.y >> shift)
        let pixel = WorldWindow(
            west: hotspot.pixel.x, width: 1 << UInt64(shift), north: hotspot.pixel.y,
            height: 1 << UInt64(shift))
        window = pixel.expanded(by: UInt64(radius - 1) << UInt64(shift))
    }

    mutating func add(xs: Span<UInt32>, ys: Span<UInt32>, kinds: Span<UInt16>) {
        for index in xs.indices where holds(xs[index], ys[index]) {
            counter.add(1, of: kinds[index])
        }
    }

    mutating func add(_ page: LeafPage, isInside: Bool) {
        if isInside {
            counter.add(page.kinds)
        } else {
            add(xs: page.xs, ys: page.ys, kinds: page.kinds)
        }
    }

    mutating func add(_ node: TreeNode) {
        for child in 0..<node.childCount {
            let side = side(ofKeys: node.heads.firstKeys[child], node.heads.lastKeys[child])
            if side == .outside { continue }
            switch node.children {
            case .pages(let pages): add(pages[child], isInside: side == .inside)
            case .nodes(let nodes):
                if side == .inside {
                    counter.add(nodes[child].kindCounts)
                } else {
                    add(nodes[child])
                }
            }
        }
    }

    /// Whether a pixel of a cell lies in the circle.
    func touches(_ cell: QuadCell) -> Bool {
        side(ofKeys: cell.keys.lowerBound, cell.keys.upperBound) != .outside
    }

    private func holds(_ x: UInt32, _ y: UInt32) -> Bool {
        let across = across(Int(x >> shift))
        let down = Int(y >> shift) - row
        return across * across + down * down < radius * radius
    }

    private func across(_ column: Int) -> Int {
        let apart = abs(column - self.column)
        return min(apart, 2 * half - apart)
    }

    private enum Side { case inside, edge, outside }

    /// On which side of the circle's edge the smallest quadtree cell with both keys lies.
    private func side(ofKeys first: UInt64, _ last: UInt64) -> Side {
        let bits = UInt32(64 - ((first ^ last).leadingZeroBitCount & ~1)) / 2
        let spread: UInt32 = bits == 32 ? .max : (1 << bits) - 1
        let corner = MortonKey(bits: first).point
        let columns = Int((corner.x & ~spread) >> shift)...Int((corner.x | spread) >> shift)
        let rows = Int((corner.y & ~spread) >> shift)...Int((corner.y | spread) >> shift)
        let (west, east) = (across(columns.lowerBound), across(columns.upperBound))
        let (north, south) = (abs(rows.lowerBound - row), abs(rows.upperBound - row))
        let nearAcross = columns.contains(column) ? 0 : min(west, east)
        let nearDown = rows.contains(row) ? 0 : min(north, south)
        if nearAcross * nearAcross + nearDown * nearDown >= radius * radius { return .outside }
        let (farAcross, farDown) = (max(west, east), max(north, south))
        // Between ends that are so near to each other and to the middle nothing is farther away.
        let isNarrow = columns.count <= half
        return isNarrow && farAcross * farAcross + farDown * farDown < radius * radius
            ? .inside : .edge
    }
}
