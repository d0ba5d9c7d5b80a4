/// Occupied quadtree cells of one level in ascending order, with what clusters need of each.
///
/// Struct of arrays: 28 bytes a cell.
struct CellRuns: Sendable {
    var keys: [UInt64] = []
    var counts: [UInt32] = []
    var sumX: [UInt64] = []
    var sumY: [UInt64] = []

    var count: Int { keys.count }

    mutating func reserve(_ capacity: Int) {
        keys.reserveCapacity(capacity)
        counts.reserveCapacity(capacity)
        sumX.reserveCapacity(capacity)
        sumY.reserveCapacity(capacity)
    }

    mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        sumX.removeAll(keepingCapacity: true)
        sumY.removeAll(keepingCapacity: true)
    }

    /// Adds a part of a cell; parts of one cell come one after the other and are joined.
    @inline(__always)
    mutating func append(key: UInt64, count: UInt32, sumX x: UInt64, sumY y: UInt64) {
        let last = keys.count - 1
        if last >= 0 && keys[last] == key {
            counts[last] += count
            sumX[last] += x
            sumY[last] += y
        } else {
            keys.append(key)
            counts.append(count)
            sumX.append(x)
            sumY.append(y)
        }
    }

    /// The same cells one level up.
    func parents() -> CellRuns {
        var runs = CellRuns()
        for index in keys.indices {
            runs.append(
                key: keys[index] >> 2, count: counts[index], sumX: sumX[index], sumY: sumY[index])
        }
        return runs
    }

    /// The first run whose key is at least `key`. O(log n).
    func firstIndex(from key: UInt64) -> Int {
        let keys = keys.span
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A node's cell sums at the levels at which they are few: computed once when the immutable node
/// is made, so that a viewport over millions of entries reads sums, not entries.
struct CellPyramid: Sendable {
    /// The level of `levels[0]`, the coarsest at which the node lies in more than one cell.
    private(set) var coarsest: UInt8 = 0
    private(set) var levels: [CellRuns] = []

    /// Builds all levels from the finest one down to the last with more than one cell.
    init(finest: CellRuns, level: UInt8) {
        guard finest.count > 1 else { return }
        var rising = [finest]
        var current = level
        while current > 0 {
            let parents = rising[rising.count - 1].parents()
            if parents.count == 1 { break }
            rising.append(parents)
            current -= 1
        }
        coarsest = current
        levels = rising.reversed()
    }

    init() {}

    /// The cells at a level, when they are kept.
    @inline(__always)
    func index(ofLevel level: UInt8) -> Int? {
        let index = Int(level) - Int(coarsest)
        return levels.indices.contains(index) ? index : nil
    }
}
