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

    /// Takes levels over, of which the first has more than one cell.
    init(levels: [CellRuns], coarsest: UInt8) {
        self.levels = levels
        self.coarsest = coarsest
    }

    /// The level of the last of `levels`; there must be one.
    var finestLevel: UInt8 { coarsest + UInt8(levels.count) - 1 }

    /// The cells at a level, when they are kept.
    @inline(__always)
    func index(ofLevel level: UInt8) -> Int? {
        let index = Int(level) - Int(coarsest)
        return levels.indices.contains(index) ? index : nil
    }
}

extension CellPyramid {
    /// The most cells that a node keeps at one level: about two bytes an object below it.
    static let keptCells = 256

    /// The cells of pages that follow one another, at the finest level at which they are few.
    ///
    /// - Complexity: O(entries).
    init(of pages: [LeafPage]) {
        // Two neighbours part at the level after the leading bits that both of their columns and
        // both of their rows share.
        var partings = [Int](repeating: 0, count: Int(QuadCell.maxLevel) + 2)
        let start = pages[0]
        var x = start.xs[0]
        var y = start.ys[0]
        for page in pages {
            let xs = page.xs
            let ys = page.ys
            for index in xs.indices {
                let difference = (xs[index] ^ x) | (ys[index] ^ y)
                partings[difference.leadingZeroBitCount &+ 1] &+= 1
                x = xs[index]
                y = ys[index]
            }
        }
        var cells = 1
        var finest: UInt8 = 0
        for level in 1...QuadCell.maxLevel {
            cells += partings[Int(level)]
            if cells > CellPyramid.keptCells { break }
            finest = level
        }
        guard finest > 0 else {
            self.init()
            return
        }
        self.init(finest: CellRuns(of: pages, level: finest), level: finest)
    }

    /// The cells of nodes that follow one another, at the finest level at which all of them keep
    /// theirs and they are few.
    ///
    /// - Complexity: O(cells).
    init(of nodes: [TreeNode], _ heads: NodeHeads) {
        let firstKeys = heads.firstKeys
        let lastKeys = heads.lastKeys
        let prefix = (firstKeys[0] ^ lastKeys[lastKeys.count - 1]).leadingZeroBitCount / 2
        var finest: UInt8?
        var level = UInt8(min(prefix + 1, Int(QuadCell.maxLevel)))
        search: while level < QuadCell.maxLevel {
            let shift = 64 - 2 * UInt64(level)
            var cells = 0
            for index in nodes.indices {
                if firstKeys[index] >> shift == lastKeys[index] >> shift {
                    cells += 1
                } else if let kept = nodes[index].cells.index(ofLevel: level) {
                    cells += nodes[index].cells.levels[kept].count
                } else {
                    break search
                }
            }
            if cells > CellPyramid.keptCells { break }
            finest = level
            level += 1
        }
        guard let finest else {
            self.init()
            return
        }
        var runs = CellRuns()
        let shift = 64 - 2 * UInt64(finest)
        for index in nodes.indices {
            if let kept = nodes[index].cells.index(ofLevel: finest) {
                nodes[index].cells.levels[kept].appendCells(from: 0, through: .max, to: &runs)
            } else {
                runs.append(CellRun(key: firstKeys[index] >> shift, of: heads.summaries[index]))
            }
        }
        self.init(finest: runs, level: finest)
    }
}

extension CellRuns {
    /// The cells of pages that follow one another. O(entries).
    init(of pages: [LeafPage], level: UInt8) {
        let shift = 64 - 2 * UInt64(level)
        self.init()
        for page in pages {
            let first = page.firstKey >> shift
            if first == page.lastKey >> shift {
                append(CellRun(key: first, of: page.summary))
            } else {
                page.appendCells(level: level, from: 0, through: .max, to: &self)
            }
        }
    }
}
