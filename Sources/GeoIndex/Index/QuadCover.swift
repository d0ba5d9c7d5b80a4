/// Turns rectangles of quadtree cells into ranges of keys.
enum QuadCover {
    /// A rectangle of cells of one level that does not run over the antimeridian; edges are in.
    struct Rectangle {
        var level: UInt8
        var x: ClosedRange<UInt32>
        var y: ClosedRange<UInt32>

        /// A slack with which the rectangle is covered by about a hundred ranges whatever its
        /// size, with at most an eighth more cells than it has.
        var coarseSlack: UInt8 {
            let longest = max(x.upperBound - x.lowerBound, y.upperBound - y.lowerBound)
            return UInt8(max(2, 32 - longest.leadingZeroBitCount - 5))
        }
    }

    /// The cells of a rectangle as ascending ranges of cell keys of its level.
    ///
    /// Blocks of up to 2^`slack` × 2^`slack` cells that are partly outside may be taken whole: fewer
    /// and longer ranges. 0 is exact.
    ///
    /// - Complexity: O(cells on the rectangle's edge / 2^slack).
    static func cellRanges(of rectangle: Rectangle, slack: UInt8 = 0) -> [ClosedRange<UInt64>] {
        var ranges: [ClosedRange<UInt64>] = []
        // The smallest quadrant that holds two opposite corners holds the rectangle.
        let first = QuadCell(
            level: rectangle.level, x: rectangle.x.lowerBound, y: rectangle.y.lowerBound)
        let last = QuadCell(
            level: rectangle.level, x: rectangle.x.upperBound, y: rectangle.y.upperBound)
        let height = (64 - (first.key ^ last.key).leadingZeroBitCount + 1) / 2
        cover(
            block: first.key >> UInt64(2 * height), height: UInt8(height), rectangle,
            slack: slack, into: &ranges)
        return ranges
    }

    /// The cells of rectangles, and few around them, as ascending ranges of which no two overlap.
    ///
    /// Two rectangles that nearly meet may take the same block whole; it comes once.
    ///
    /// - Complexity: O(1) a rectangle: about a hundred ranges, which are sorted.
    ///
    /// - Parameter moreSlack: 1 halves the number of ranges and doubles the cells around.
    static func coarseRanges(
        of rectangles: [Rectangle], moreSlack: UInt8 = 0
    ) -> [ClosedRange<UInt64>] {
        if rectangles.count == 1 {
            return cellRanges(of: rectangles[0], slack: rectangles[0].coarseSlack + moreSlack)
        }
        let ranges = rectangles.flatMap { cellRanges(of: $0, slack: $0.coarseSlack + moreSlack) }
            .sorted { $0.lowerBound < $1.lowerBound }
        return ranges.reduce(into: []) { joined, range in
            if let last = joined.last, last.upperBound >= range.lowerBound {
                joined[joined.count - 1] =
                    last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }

    private static func cover(
        block: UInt64, height: UInt8, _ rectangle: Rectangle, slack: UInt8,
        into ranges: inout [ClosedRange<UInt64>]
    ) {
        // 64-bit sums: a block at level 0 has 2^32 columns.
        let west = UInt64(MortonKey.compact(block)) << UInt64(height)
        let north = UInt64(MortonKey.compact(block >> 1)) << UInt64(height)
        let last = (UInt64(1) << UInt64(height)) - 1
        let x = rectangle.x
        let y = rectangle.y
        if west > UInt64(x.upperBound) || west + last < UInt64(x.lowerBound)
            || north > UInt64(y.upperBound) || north + last < UInt64(y.lowerBound)
        {
            return
        }
        let isInside =
            west >= UInt64(x.lowerBound) && west + last <= UInt64(x.upperBound)
            && north >= UInt64(y.lowerBound) && north + last <= UInt64(y.upperBound)
        if isInside || height <= slack {
            let start = block << UInt64(2 * height)
            // 4^height cells; at height 32 the shift gives 0 and the difference all of them.
            let end = start | ((UInt64(1) << UInt64(2 * height)) &- 1)
            if let previous = ranges.last, previous.upperBound &+ 1 == start {
                ranges[ranges.count - 1] = previous.lowerBound...end
            } else {
                ranges.append(start...end)
            }
            return
        }
        for quadrant in 0..<UInt64(4) {
            cover(
                block: block << 2 | quadrant, height: height - 1, rectangle, slack: slack,
                into: &ranges)
        }
    }

    /// The keys of all points of a window whose edges lie on cells of `level`, as ranges.
    ///
    /// Edges that do not are moved outwards to the next cell.
    static func keyRanges(of window: WorldWindow, level: UInt8) -> [ClosedRange<UInt64>] {
        let shift = 64 - 2 * UInt64(level)
        return rectangles(of: window, level: level).flatMap { rectangle in
            cellRanges(of: rectangle).map { range in
                (range.lowerBound << shift)...(range.upperBound << shift
                    | (shift == 64 ? .max : (1 << shift) - 1))
            }
        }
    }

    /// The cells that a window touches: one rectangle, or two when it runs over ±180°.
    static func rectangles(of window: WorldWindow, level: UInt8) -> [Rectangle] {
        guard !window.isEmpty else { return [] }
        let side = 32 - UInt64(level)
        let rows =
            UInt32(
                UInt64(window.north) >> side)...UInt32(
                (UInt64(window.north) + window.height - 1) >> side)
        let firstColumn = UInt64(window.west) >> side
        let end = UInt64(window.west) + window.width - 1
        if end < WorldWindow.worldSize {
            return [
                Rectangle(level: level, x: UInt32(firstColumn)...UInt32(end >> side), y: rows)
            ]
        }
        let lastColumn = (WorldWindow.worldSize - 1) >> side
        let wrappedEnd = (end - WorldWindow.worldSize) >> side
        if wrappedEnd >= firstColumn || wrappedEnd + 1 == firstColumn {
            return [Rectangle(level: level, x: 0...UInt32(lastColumn), y: rows)]
        }
        return [
            Rectangle(level: level, x: 0...UInt32(wrappedEnd), y: rows),
            Rectangle(level: level, x: UInt32(firstColumn)...UInt32(lastColumn), y: rows),
        ]
    }
}
