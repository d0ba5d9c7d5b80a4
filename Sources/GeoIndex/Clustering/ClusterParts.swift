/// Cuts a window that is too large for one dense grid into parts that are not: the clusters of a
/// window are those of its parts together.
enum ClusterParts {
    /// Cells of a grid that is made without asking how full it would be: half a megabyte.
    static let freeCells: UInt64 = 1 << 17
    /// Cells of a grid for each object in it, above that.
    private static let cellsPerObject: UInt64 = 64
    private static let leastCells: UInt64 = 1 << 9

    /// The parts of a window, those without objects left out.
    ///
    /// - Complexity: O(p log n) for p parts; there are at most about as many as objects.
    static func of(_ window: WorldWindow, level: UInt8, in snapshot: IndexSnapshot)
        -> [WorldWindow]
    {
        if window.isEmpty { return [] }
        if gridCells(window, level: level) <= freeCells { return [window] }
        var parts: [WorldWindow] = []
        for half in window.splitAtAntimeridian {
            var rest = [QuadCell(level: 0, key: 0)]
            while let block = rest.popLast() {
                guard let part = half.intersection(with: block) else { continue }
                let count = UInt64(snapshot.sum(over: [block.keys]).count)
                if count == 0 { continue }
                let most = min(freeCells, leastCells + cellsPerObject * count)
                if gridCells(part, level: level) <= most || block.level == level {
                    parts.append(part)
                } else {
                    rest.append(contentsOf: block.children)
                }
            }
        }
        return parts
    }

    /// Whether a window is so large that the whole world is hardly more work.
    static func isHalfTheWorld(_ window: WorldWindow, level: UInt8) -> Bool {
        2 * gridCells(window, level: level) >= 1 << (2 * UInt64(level))
    }

    /// The cells of a window's grid with its margin.
    static func gridCells(_ window: WorldWindow, level: UInt8) -> UInt64 {
        let side = 32 - UInt64(level)
        let margin = 2 * UInt64(CellField.marginCells) + 1
        return ((window.width >> side) + margin) * ((window.height >> side) + margin)
    }
}

extension ClusterOptions {
    /// Whether the clusters of a window are found in well under a millisecond, however many
    /// objects there are: what an event thread may do.
    public func isQuick(in window: WorldWindow) -> Bool {
        ClusterParts.gridCells(window, level: level) <= ClusterParts.freeCells / 4
    }
}

extension IndexSnapshot {
    /// How many cells of a clustering are occupied in a window, counted until there are more than
    /// `limit`. A seed owns at most 49 of them, so they bound the clusters from below.
    ///
    /// - Complexity: O(cells).
    public func occupiedCells(
        in window: WorldWindow, options: ClusterOptions, atMost limit: Int
    ) -> Int {
        var runs = CellRuns()
        var count = 0
        for part in ClusterParts.of(window, level: options.level, in: self) where count <= limit {
            runs = CellRuns()
            let rectangles = QuadCover.rectangles(of: part, level: options.level)
            for range in QuadCover.coarseRanges(of: rectangles) {
                appendCells(
                    level: options.level, from: range.lowerBound, through: range.upperBound,
                    filter: nil, to: &runs)
            }
            count += runs.count
        }
        return count
    }
}

extension WorldWindow {
    /// The window as one or two that do not run over the antimeridian.
    var splitAtAntimeridian: [WorldWindow] {
        let east = WorldWindow.worldSize - UInt64(west)
        if width <= east { return [self] }
        return [
            WorldWindow(west: west, width: east, north: north, height: height),
            WorldWindow(west: 0, width: width - east, north: north, height: height),
        ]
    }

    /// What lies in the window and in a cell; nil when that is nothing.
    ///
    /// - Precondition: the window does not run over the antimeridian.
    func intersection(with cell: QuadCell) -> WorldWindow? {
        let side = WorldWindow.worldSize >> UInt64(cell.level)
        let left = max(UInt64(west), UInt64(cell.x) * side)
        let right = min(UInt64(west) + width, UInt64(cell.x) * side + side)
        let top = max(UInt64(north), UInt64(cell.y) * side)
        let bottom = min(UInt64(north) + height, UInt64(cell.y) * side + side)
        guard left < right && top < bottom else { return nil }
        return WorldWindow(
            west: UInt32(left), width: right - left, north: UInt32(top), height: bottom - top)
    }
}

extension WorldWindow {
    /// The smallest window that holds two, over the antimeridian where that is shorter.
    func union(_ other: WorldWindow) -> WorldWindow {
        let eastwards = max(width, UInt64(other.west &- west) + other.width)
        let westwards = max(other.width, UInt64(west &- other.west) + width)
        let top = min(north, other.north)
        let bottom = max(UInt64(north) + height, UInt64(other.north) + other.height)
        return WorldWindow(
            west: eastwards <= westwards ? west : other.west, width: min(eastwards, westwards),
            north: top, height: bottom - UInt64(top))
    }
}

extension QuadCell {
    /// The four cells of the next level.
    var children: [QuadCell] {
        (0..<UInt64(4)).map { QuadCell(level: level + 1, key: key << 2 | $0) }
    }
}
