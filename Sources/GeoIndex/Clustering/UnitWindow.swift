/// Which units a window is put together of.
struct UnitWindow {
    /// Units that are looked up without asking whether anything is in them.
    private static let fewUnits: UInt64 = 64

    /// The keys of units in which a cluster of the window may have its point, ascending.
    ///
    /// - Complexity: O(1) for a view; O(occupied units) for a large window.
    static func keys(
        of window: WorldWindow, _ question: ClusterQuestion, in snapshot: IndexSnapshot
    ) -> [UInt64] {
        let level = question.unitLevel
        let rectangles = QuadCover.rectangles(of: window, level: level)
        let count = rectangles.reduce(UInt64(0)) { $0 + $1.cellCount }
        guard count > fewUnits else {
            var keys: [UInt64] = []
            keys.reserveCapacity(Int(count))
            for rectangle in rectangles {
                for row in rectangle.y {
                    let high = MortonKey.spread(row) << 1
                    for column in rectangle.x { keys.append(high | MortonKey.spread(column)) }
                }
            }
            keys.sort()
            return keys
        }
        var runs = CellRuns()
        for range in QuadCover.coarseRanges(of: rectangles) {
            snapshot.appendCells(
                level: level, from: range.lowerBound, through: range.upperBound, filter: nil,
                to: &runs)
        }
        return runs.runs.compactMap { run in
            rectangles.contains { $0.contains(run.key) } ? run.key : nil
        }
    }
}

extension QuadCover.Rectangle {
    /// How many cells it has.
    fileprivate var cellCount: UInt64 {
        (UInt64(x.upperBound - x.lowerBound) + 1) * (UInt64(y.upperBound - y.lowerBound) + 1)
    }

    fileprivate func contains(_ key: UInt64) -> Bool {
        x.contains(MortonKey.compact(key)) && y.contains(MortonKey.compact(key >> 1))
    }
}
