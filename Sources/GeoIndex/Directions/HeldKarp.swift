/// The shortest tour, by dynamic programming over sets of stops.
enum HeldKarp {
    /// The stops of the shortest tour, from stop 0 on.
    ///
    /// - Precondition: at most 16 stops.
    /// - Complexity: O(2ⁿ·n²) time, O(2ⁿ·n) memory.
    static func tour(_ distances: StopDistances) -> [Int] {
        let count = distances.count
        precondition(count <= 16, "\(count) stops are too many for all their sets")
        guard count > 3 else { return Array(0..<count) }
        // Sets of the stops but the last, which is where all ways begin.
        let others = count - 1
        let sets = 1 << others
        /// The shortest way from the last stop through a set to one stop of it.
        var lengths = [Double](repeating: .infinity, count: sets * others)
        var before = [UInt8](repeating: 0, count: sets * others)
        for stop in 0..<others { lengths[(1 << stop) * others + stop] = distances[others, stop] }
        for set in 1..<sets {
            for end in 0..<others where set & 1 << end != 0 {
                let known = lengths[set * others + end]
                for next in 0..<others where set & 1 << next == 0 {
                    let cell = (set | 1 << next) * others + next
                    let length = known + distances[end, next]
                    if length < lengths[cell] {
                        lengths[cell] = length
                        before[cell] = UInt8(end)
                    }
                }
            }
        }
        var set = sets - 1
        var end = 0
        var best = Double.infinity
        for stop in 0..<others {
            let length = lengths[set * others + stop] + distances[stop, others]
            if length < best { (best, end) = (length, stop) }
        }
        var tour = [others]
        while set != 0 {
            tour.append(end)
            let previous = Int(before[set * others + end])
            set &= ~(1 << end)
            end = previous
        }
        return tour
    }
}
