/// How far boxes lie from a centre at least: u²/4 + c²·v²/4 for the least differences u of latitude
/// and v of longitude in radians, where c is the cosine of the centre's latitude.
///
/// A longitude gap is counted two columns short: one for each edge of the box, whose columns may
/// be one off, and for the centre within its own.
struct BoxGaps {
    /// What the floats may round up, and more.
    private static let lower: Float = 1 - 0x1p-18
    /// Bits of a key that hold a number.
    private static let numberMask: Int32 = 63

    private let x: UInt32
    private let latE7: Int32
    private let lat2: Float
    private let lon2: Float

    init(_ series: PlaneSeries) {
        x = series.x
        latE7 = series.latE7
        lat2 = series.lat2 * BoxGaps.lower
        lon2 = series.lon2 * BoxGaps.lower
    }

    /// A gap as whole number that keeps the order, and in whose last six bits the number of a child
    /// or a group stands. Not below any key of a gap that is not greater.
    static func key(_ gap: Float) -> Int32 { Int32(bitPattern: gap.bitPattern) | numberMask }

    /// The number of a key.
    @inline(__always)
    static func number(_ key: Int32) -> Int { Int(key & numberMask) }

    /// The key of the box of a number.
    ///
    /// - Parameters:
    ///   - column: Its middle; `halfWidth` columns lie on either side, 2³¹ at most.
    ///   - latE7: The latitude of its middle; `halfHeight` units lie on either side.
    @inline(__always)
    private func key(
        _ number: Int, column: UInt32, halfWidth: UInt32, latE7: UInt32, halfHeight: UInt32
    ) -> Int32 {
        // Modulo 2^32 the difference is the shorter way round, 2^31 at most: without half a box,
        // if that is not nothing, it has 31 bits and a sign. No two latitudes differ by as much.
        let east = Int32(bitPattern: x &- column)
        let north = self.latE7 &- Int32(bitPattern: latE7)
        let across = Int32(bitPattern: UInt32(bitPattern: BoxGaps.size(east)) &- halfWidth)
        let along = BoxGaps.size(north) &- Int32(bitPattern: halfHeight)
        let u = BoxGaps.positive(Float(along))
        let v = BoxGaps.positive(Float(across) - 2)
        let gap = u * u * lat2 + v * v * lon2
        return Int32(bitPattern: gap.bitPattern) & ~BoxGaps.numberMask
            | Int32(truncatingIfNeeded: number)
    }

    @inline(__always)
    private static func size(_ number: Int32) -> Int32 { number < 0 ? 0 &- number : number }

    @inline(__always)
    private static func positive(_ number: Float) -> Float { number > 0 ? number : 0 }

    /// Writes the keys of a node's children, and of nothing behind them.
    ///
    /// Loops of scalars, which the compiler makes ones of vectors.
    ///
    /// - Parameters:
    ///   - boxes: The numbers of a ``ChildBoxes``.
    ///   - keys: Room for ``TreeNode/capacity``.
    @inline(__always)
    func write(_ boxes: UnsafeBufferPointer<UInt32>, to keys: UnsafeMutablePointer<Int32>) {
        guard let columns = boxes.baseAddress else { return }
        let count = boxes.count / 4
        let widths = unsafe columns + count
        let rows = unsafe widths + count
        let heights = unsafe rows + count
        for first in stride(from: 0, to: count, by: ChildBoxes.step) {
            for number in first..<(first &+ ChildBoxes.step) {
                unsafe keys[number] = key(
                    number, column: columns[number], halfWidth: widths[number],
                    latE7: rows[number], halfHeight: heights[number])
            }
        }
    }

    /// Writes the keys of a page's groups; those of groups that it has not mean nothing.
    ///
    /// - Parameter keys: Room for ``PageGroups/capacity``.
    @inline(__always)
    func write(_ groups: PageGroups, to keys: UnsafeMutablePointer<Int32>) {
        let head = groups.head
        let (wests, souths) = unsafe (groups.edges(0), groups.edges(1))
        let (easts, norths) = unsafe (groups.edges(2), groups.edges(3))
        for group in 0..<PageGroups.capacity {
            let (west, south) = unsafe (UInt32(wests[group]), UInt32(souths[group]))
            let (east, north) = unsafe (UInt32(easts[group]), UInt32(norths[group]))
            // Middles and halves in half steps, of which a page has 2^17 each way. A box ends where
            // the step of its east or north edge does.
            unsafe keys[group] = key(
                group, column: head.x &+ (west &+ east &+ 1) &<< head.columnShift,
                halfWidth: (east &- west &+ 1) &<< head.columnShift,
                latE7: UInt32(bitPattern: head.latE7)
                    &+ (south &+ north &+ 1) &<< head.rowShift,
                halfHeight: (north &- south &+ 1) &<< head.rowShift)
        }
    }
}
