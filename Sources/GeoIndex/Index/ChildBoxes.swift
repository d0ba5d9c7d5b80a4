/// The boxes of a node's children, side by side, as a search for what is near reads them.
///
/// A box is its middle and how far it reaches from it on either side: in columns of ``WorldPoint``,
/// so that differences of 32 bits run over ±180° by themselves, and in units of 1e-7° of latitude.
/// It may be a column too narrow on either side.
struct ChildBoxes: Sendable, Equatable {
    /// Middle columns, half widths, middle latitudes and half heights: as many of each.
    private(set) var numbers: [UInt32]

    /// As many of each are a multiple of this; what is behind the last child lies nowhere.
    static let step = 16
    /// A latitude of no place, 17° from the nearest of them.
    private static let nowhere: UInt32 = 1 << 30

    /// O(children).
    init(_ summaries: [NodeSummary]) {
        let summaries = summaries.span
        let count = (summaries.count + ChildBoxes.step - 1) & ~(ChildBoxes.step - 1)
        numbers = [UInt32](repeating: 0, count: 4 * count)
        for child in summaries.indices { replace(child, with: summaries[child]) }
        for child in summaries.count..<count { numbers[2 * count + child] = ChildBoxes.nowhere }
    }

    /// Puts the box of another summary in the place of a child's. O(1).
    mutating func replace(_ child: Int, with summary: NodeSummary) {
        let count = numbers.count / 4
        let west = ChildBoxes.column(summary.west)
        // Modulo 2^32, as all columns.
        let width = ChildBoxes.column(summary.east) &- west
        // Latitudes differ by less than 2^31.
        let height = UInt32(bitPattern: summary.north &- summary.south)
        numbers[child] = west &+ width / 2
        numbers[count + child] = width - width / 2
        numbers[2 * count + child] = UInt32(bitPattern: summary.south) &+ height / 2
        numbers[3 * count + child] = height - height / 2
    }

    /// The column of a longitude; at most one from that of ``WorldPoint``, which is computed in
    /// doubles.
    private static func column(_ lonE7: Int32) -> UInt32 {
        // Longitudes below 180° in whole units from 180° W: below 2^32, and below 2^54 when shifted.
        let units = UInt64(Int64(lonE7) &+ 1_800_000_000)
        return UInt32(truncatingIfNeeded: (units &<< 22) / 3_515_625)
    }
}
