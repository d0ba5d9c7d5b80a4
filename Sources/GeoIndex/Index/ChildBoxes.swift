/// The boxes of a node's children, four to a group, as a search for what is near reads them.
///
/// Edges in the west and east are columns of ``WorldPoint``, so that differences of 32 bits run
/// over ±180° by themselves; a box may be a column too wide on either side. Edges in the south and
/// north are units of 1e-7°.
struct ChildBoxes: Sendable {
    /// West, south, east and north edges of each four.
    private(set) var groups: [SIMD4<Int32>] = []

    /// A latitude of no place, 17° from the nearest of them: where the last group's rest lies.
    private static let nowhere: Int32 = 1 << 30

    /// O(children).
    init(_ summaries: [NodeSummary]) {
        let summaries = summaries.span
        groups.reserveCapacity((summaries.count + 3) / 4 * 4)
        for first in stride(from: 0, to: summaries.count, by: 4) {
            var west = SIMD4<Int32>(repeating: 0)
            var east = west
            var south = SIMD4(repeating: ChildBoxes.nowhere)
            var north = south
            for lane in 0..<min(4, summaries.count - first) {
                let summary = summaries[first + lane]
                west[lane] = ChildBoxes.column(summary.west)
                east[lane] = ChildBoxes.column(summary.east)
                south[lane] = summary.south
                north[lane] = summary.north
            }
            groups.append(west)
            groups.append(south)
            groups.append(east)
            groups.append(north)
        }
    }

    /// The column of a longitude; at most one from that of ``WorldPoint``, which is computed in
    /// doubles.
    private static func column(_ lonE7: Int32) -> Int32 {
        // Longitudes below 180° in whole units from 180° W: below 2^32, and below 2^54 when shifted.
        let units = UInt64(Int64(lonE7) &+ 1_800_000_000)
        return Int32(truncatingIfNeeded: (units &<< 22) / 3_515_625)
    }
}
