/// Which units are resolved together: side by side in one field where that is less work than one by
/// one.
struct UnitGroups {
    /// Units in one field.
    struct Group {
        /// Ascending; no unit of another group lies between them.
        var keys: ArraySlice<UInt64>
        /// The rectangle round them.
        var columns: ClosedRange<UInt32>
        var rows: ClosedRange<UInt32>
    }

    private let question: ClusterQuestion
    private let window: WorldWindow

    /// Empty cells that are cleared in the time in which a field is begun.
    private static let fieldCells: UInt64 = 6_000

    /// - Parameter window: What of the units is looked at.
    init(_ question: ClusterQuestion, in window: WorldWindow) {
        self.question = question
        self.window = window
    }

    /// Groups of some units, ascending.
    ///
    /// - Complexity: O(u log u) for u units.
    func groups(of keys: ArraySlice<UInt64>) -> [Group] {
        var groups: [Group] = []
        split(keys, blockBits: UInt64(2 * question.unitLevel), into: &groups)
        return groups
    }

    /// About how much work it is to resolve some units, ascending, in cells that are cleared.
    func cost(of keys: [UInt64]) -> UInt64 {
        groups(of: keys[...]).reduce(0) { $0 + cost(of: $1) }
    }

    /// What of the window lies in the rectangle round a group's units; all of it where that is in
    /// two pieces.
    func part(of group: Group) -> WorldWindow {
        if window == .world { return rectangle(of: group) }
        let rectangle = rectangle(of: group)
        let pieces = window.splitAtAntimeridian.compactMap { $0.intersection(with: rectangle) }
        return pieces.count == 1 ? pieces[0] : window
    }

    private func rectangle(of group: Group) -> WorldWindow {
        let side = WorldWindow.worldSize >> UInt64(question.unitLevel)
        return WorldWindow(
            west: UInt32(UInt64(group.columns.lowerBound) * side),
            width: UInt64(group.columns.count) * side,
            north: UInt32(UInt64(group.rows.lowerBound) * side),
            height: UInt64(group.rows.count) * side)
    }

    private func cost(of group: Group) -> UInt64 {
        ClusterParts.gridCells(part(of: group), level: question.options.level)
            + UnitGroups.fieldCells
    }

    /// The units of one quadtree block together, or quarter by quarter.
    ///
    /// - Parameter blockBits: The bits of a key that tell units of the block apart.
    private func split(
        _ keys: ArraySlice<UInt64>, blockBits: UInt64, into groups: inout [Group]
    ) {
        guard let first = keys.first, let last = keys.last else { return }
        var columns = MortonKey.compact(first)...MortonKey.compact(first)
        var rows = MortonKey.compact(first >> 1)...MortonKey.compact(first >> 1)
        if first != last {
            for key in keys {
                let column = MortonKey.compact(key)
                let row = MortonKey.compact(key >> 1)
                columns = min(column, columns.lowerBound)...max(column, columns.upperBound)
                rows = min(row, rows.lowerBound)...max(row, rows.upperBound)
            }
        }
        let group = Group(keys: keys, columns: columns, rows: rows)
        if first == last || isWorthOneField(group) {
            groups.append(group)
            return
        }
        // Quarters whose units all lie in one of them are passed over.
        let bits = min(blockBits, (UInt64(64 - (first ^ last).leadingZeroBitCount) + 1) & ~1)
        var rest = keys
        while let next = rest.first {
            let quarter = next >> (bits - 2)
            let end = rest.firstIndex { $0 >> (bits - 2) != quarter } ?? rest.endIndex
            split(rest[..<end], blockBits: bits - 2, into: &groups)
            rest = rest[end...]
        }
    }

    private func isWorthOneField(_ group: Group) -> Bool {
        let side = UInt64(question.unitCells)
        let margin = 2 * UInt64(CellField.marginCells)
        let alone = (side + margin) * (side + margin) + UnitGroups.fieldCells
        let cells = ClusterParts.gridCells(part(of: group), level: question.options.level)
        return cells <= ClusterParts.freeCells && cells <= UInt64(group.keys.count) * alone
    }
}

extension WorldWindow {
    /// What lies in both of two windows; nil when that is nothing.
    ///
    /// - Precondition: neither runs over the antimeridian.
    fileprivate func intersection(with other: WorldWindow) -> WorldWindow? {
        let left = max(west, other.west)
        let right = min(UInt64(west) + width, UInt64(other.west) + other.width)
        let top = max(north, other.north)
        let bottom = min(UInt64(north) + height, UInt64(other.north) + other.height)
        guard UInt64(left) < right, UInt64(top) < bottom else { return nil }
        return WorldWindow(
            west: left, width: right - UInt64(left), north: top, height: bottom - UInt64(top))
    }
}
