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
    /// - Complexity: O(log keys) for each time that the Z-curve leaves the window on its way past
    ///   keys and comes back; mostly once or twice.
    func differs(in window: WorldWindow) -> Bool {
        if keys.isEmpty || window.isEmpty { return false }
        let east = WorldWindow.worldSize - UInt64(window.west)
        if window.width <= east { return hasKey(in: window) }
        return window.splitAtAntimeridian.contains { hasKey(in: $0) }
    }

    /// - Precondition: the window has points, and does not run over the antimeridian.
    private func hasKey(in window: WorldWindow) -> Bool {
        let west = window.west
        let north = window.north
        // The last column and row: they are below 2^32.
        let east = UInt32(UInt64(west) + window.width - 1)
        let south = UInt32(UInt64(north) + window.height - 1)
        let last = MortonKey(WorldPoint(x: east, y: south)).bits
        let keys = keys.span
        var place = firstIndex(from: MortonKey(WorldPoint(x: west, y: north)).bits, after: 0)
        while place < keys.count && keys[place] <= last {
            let key = keys[place]
            let point = MortonKey(bits: key).point
            // The highest bit in which the point parts from an edge that it lies beyond: the
            // aligned block of that size round the point has nothing of the window.
            var parting: UInt32 = 0
            if point.x < west { parting = point.x ^ west }
            if point.x > east { parting = point.x ^ east }
            if point.y < north { parting = max(parting, point.y ^ north) }
            if point.y > south { parting = max(parting, point.y ^ south) }
            if parting == 0 { return true }
            let shift = UInt64(2 * (31 - parting.leadingZeroBitCount))
            let block = key | ((1 << shift) - 1)
            if block >= last { return false }
            place = firstIndex(from: block + 1, after: place + 1)
        }
        return false
    }

    /// The first key, of those from `start` on, that is at least `key`. O(log keys).
    private func firstIndex(from key: UInt64, after start: Int) -> Int {
        let keys = keys.span
        var low = start
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension [UInt64] {
    /// An ascending list without some numbers, which are in it, and with others, all ascending.
    ///
    /// - Complexity: O(n); O(1) when nothing is taken out or put in.
    func merged(without gone: [UInt64], with new: [UInt64]) -> [UInt64] {
        if gone.isEmpty && new.isEmpty { return self }
        var merged: [UInt64] = []
        merged.reserveCapacity(Swift.max(0, count - gone.count) + new.count)
        var (leaving, coming) = (0, 0)
        for number in self {
            while coming < new.count && new[coming] <= number {
                merged.append(new[coming])
                coming += 1
            }
            if leaving < gone.count && gone[leaving] == number {
                leaving += 1
            } else {
                merged.append(number)
            }
        }
        merged.append(contentsOf: new[coming...])
        return merged
    }
}
