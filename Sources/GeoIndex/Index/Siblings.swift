/// The children of one node in order, in runs of eight.
///
/// Nodes that follow one another in time share the runs in which no child differs: a node of 64
/// children that differs from the last in one counts 16 references up, not 64, and as many down
/// when the last one goes. Most of the children are not in the cache.
struct Siblings<Child: TreeChild>: RandomAccessCollection, Sendable {
    /// All but the last are full.
    private(set) var runs: [[Child]]
    private(set) var count: Int

    /// Children of a run.
    static var runLength: Int { 8 }

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    /// O(children).
    init(_ children: ArraySlice<Child>) {
        runs = Siblings.runs(of: children)
        count = children.count
    }

    subscript(index: Int) -> Child {
        // An index below zero stays below zero, and fails as one past the end does.
        @inline(__always) get { runs[index >> 3][index & 7] }
        @inline(__always) set { runs[index >> 3][index & 7] = newValue }
    }

    /// Puts any number of children in the place of one. O(children after it).
    mutating func replace(_ index: Int, with others: [Child]) {
        let whole = index / Self.runLength
        let start = whole * Self.runLength
        var rest: [Child] = []
        rest.reserveCapacity(count - start + others.count)
        rest.append(contentsOf: self[start..<index])
        rest.append(contentsOf: others)
        rest.append(contentsOf: self[(index + 1)...])
        runs = Array(runs[..<whole]) + Siblings.runs(of: rest[...])
        count += others.count - 1
    }

    private static func runs(of children: ArraySlice<Child>) -> [[Child]] {
        stride(from: children.startIndex, to: children.endIndex, by: runLength).map {
            Array(children[$0..<Swift.min($0 + runLength, children.endIndex)])
        }
    }
}
