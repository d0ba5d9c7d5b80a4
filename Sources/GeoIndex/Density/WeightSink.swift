/// What adds up the weights of quadtree cells of one level: a picture, a search, a count.
protocol WeightSink {
    /// Adds the weight, in units of 1/256, of a cell or of a part of one, by its number.
    mutating func add(_ weight: UInt64, cell: UInt64)
    /// Adds entries of a page.
    mutating func add(_ page: LeafPage, _ range: Range<Int>)
    /// Whether what comes now changes nothing any more.
    var isFull: Bool { get }
}

extension IndexSnapshot {
    /// Adds the weights of all objects in ascending ranges of cells of a level, in Morton order:
    /// the sums that nodes keep where they keep that level, and entries elsewhere.
    ///
    /// - Complexity: O(log n + cells) where cells hold many objects, else O(entries).
    func addWeights<Sink: WeightSink>(
        level: UInt8, in ranges: [ClosedRange<UInt64>], to sink: inout Sink
    ) {
        for cells in ranges {
            switch root {
            case .empty: return
            case .page(let page):
                sink.add(page, page.indices(in: cells.keys(ofLevel: level)))
            case .node(let node): IndexSnapshot.add(node, level: level, cells, to: &sink)
            }
        }
    }

    private static func add<Sink: WeightSink>(
        _ node: TreeNode, level: UInt8, _ cells: ClosedRange<UInt64>, to sink: inout Sink
    ) {
        if let runs = node.cells(ofLevel: level) {
            var index = runs.firstIndex(from: cells.lowerBound)
            while index < runs.count && runs[index].key <= cells.upperBound {
                sink.add(runs[index].weight, cell: runs[index].key)
                index += 1
            }
            return
        }
        let shift = 64 - 2 * UInt64(level)
        let heads = node.heads
        var index = node.firstChild(reaching: cells.lowerBound << shift)
        while index < node.childCount && !sink.isFull {
            let first = heads.firstKeys[index] >> shift
            let last = heads.lastKeys[index] >> shift
            if first > cells.upperBound { return }
            if first == last {
                sink.add(heads.summaries[index].weight, cell: first)
            } else {
                switch node.children {
                case .nodes(let nodes): add(nodes[index], level: level, cells, to: &sink)
                case .pages(let pages):
                    let page = pages[index]
                    let isWhole = cells.lowerBound <= first && last <= cells.upperBound
                    let range =
                        isWhole ? 0..<page.count : page.indices(in: cells.keys(ofLevel: level))
                    sink.add(page, range)
                }
            }
            index += 1
        }
    }
}

extension ClosedRange<UInt64> {
    /// The Morton keys of all points in a range of cells of a level.
    func keys(ofLevel level: UInt8) -> ClosedRange<UInt64> {
        let shift = 64 - 2 * UInt64(level)
        return
            (lowerBound << shift)...(upperBound << shift
            | (shift == 64 ? .max : (1 << shift) - 1))
    }

    /// The cells of a deeper level that lie in a range of cells of a level.
    func cells(ofLevel level: UInt8, in deeper: UInt8) -> ClosedRange<UInt64> {
        let shift = 2 * UInt64(deeper - level)
        return (lowerBound << shift)...(upperBound << shift | ((1 << shift) - 1))
    }
}
