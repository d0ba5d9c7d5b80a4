/// The state of a layer that a view was made over, and where the two differ.
///
/// Clusters that were resolved for the layer hold for the view wherever nothing that they depend on
/// differs.
struct ViewUnderlay: Sendable {
    let base: IndexSnapshot
    /// The keys of all places at which the view has an entry of its own or hides one, ascending.
    let keys: [UInt64]

    /// Whether the two may differ in a window.
    ///
    /// - Complexity: O(log keys).
    func differs(in window: WorldWindow, level: UInt8) -> Bool {
        window.roughKeyRanges(level: level).contains { range in
            let place = firstIndex(from: range.lowerBound)
            return place < keys.count && keys[place] <= range.upperBound
        }
    }

    private func firstIndex(from key: UInt64) -> Int {
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
