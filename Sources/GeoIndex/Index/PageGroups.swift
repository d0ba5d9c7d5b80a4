/// The boxes of a page's entries, ``size`` in a row to each, as they stand at the page's start.
///
/// Entries stand in the order of the Z-curve, so that a few in a row lie close together: a search
/// for what is near reads the few groups that can hold it instead of whole columns.
///
/// West and east edges are columns of ``WorldPoint``, south and north ones units of 1e-7°. They are
/// counted from the least of the page in steps of two or more units, so that 16 bits hold them; a
/// box is rounded outwards. They follow from the columns, and are made anew for a decoded page.
///
/// The head that tells what they are counted from stands with whoever has the page: so the edges
/// are two lines of the cache.
@safe struct PageGroups {
    /// Entries of a group.
    static let size = 16
    /// Groups of a page, full or not.
    static let capacity = LeafPage.capacity / size
    /// West, south, east and north edges of all groups.
    static let bytes = 8 * capacity

    /// The least column and latitude of the page, and how many bits half a step is shifted by.
    struct Head: Sendable, Equatable {
        var x: UInt32 = 0
        var latE7: Int32 = 0
        var columnShift: UInt8 = 0
        var rowShift: UInt8 = 0
    }

    private let start: UnsafeRawPointer
    let head: Head

    /// - Parameters:
    ///   - start: A page's start.
    ///   - head: That of the page.
    @inline(__always)
    init(_ start: UnsafeRawPointer, _ head: Head) {
        unsafe self.start = start
        self.head = head
    }

    /// Edges of the groups, for one side after the other: west, south, east, north.
    @inline(__always)
    func edges(_ side: Int) -> UnsafePointer<UInt16> {
        unsafe (start + PageGroups.offset(side)).assumingMemoryBound(to: UInt16.self)
    }

    @inline(__always)
    private static func offset(_ side: Int) -> Int { 2 &* capacity &* side }

    /// What a column and a latitude are rounded to, in their units.
    var steps: (column: Int64, latE7: Int64) {
        (2 << Int64(head.columnShift), 2 << Int64(head.rowShift))
    }

    /// The box of a group, edges in; columns may go on behind the last of the world.
    ///
    /// - Precondition: the page has the group.
    func box(_ group: Int) -> (west: Int64, south: Int64, east: Int64, north: Int64) {
        precondition((0..<PageGroups.capacity).contains(group), "group \(group)")
        let steps = steps
        let west = unsafe Int64(head.x) + Int64(edges(0)[group]) * steps.column
        let south = unsafe Int64(head.latE7) + Int64(edges(1)[group]) * steps.latE7
        let east = unsafe Int64(head.x) + (Int64(edges(2)[group]) + 1) * steps.column - 1
        let north = unsafe Int64(head.latE7) + (Int64(edges(3)[group]) + 1) * steps.latE7 - 1
        return (west, south, east, north)
    }

    /// Writes the boxes of a page whose columns are written; those of groups that it has not mean
    /// nothing.
    ///
    /// - Parameter start: The page's start.
    /// - Returns: What they are counted from.
    /// - Complexity: O(entries).
    static func write(
        to start: UnsafeMutableRawPointer, xs: UnsafePointer<UInt32>,
        lats: UnsafePointer<Int32>, count: Int
    ) -> Head {
        var (wests, easts) = (Edges<UInt32>(repeating: 0), Edges<UInt32>(repeating: 0))
        var (souths, norths) = (Edges<Int32>(repeating: 0), Edges<Int32>(repeating: 0))
        let groups = (count &+ (PageGroups.size - 1)) / PageGroups.size
        for group in 0..<min(groups, PageGroups.capacity) {
            let first = group &* PageGroups.size
            let length = min(PageGroups.size, count &- first)
            // Within the columns, which have `count` entries.
            (wests[group], easts[group]) = unsafe PageGroups.edges(of: xs + first, length)
            (souths[group], norths[group]) = unsafe PageGroups.edges(of: lats + first, length)
        }
        // What is behind the last group counts as the first one.
        for group in groups..<max(groups, PageGroups.capacity) {
            (wests[group], easts[group]) = (wests[0], easts[0])
            (souths[group], norths[group]) = (souths[0], norths[0])
        }
        let (x, latE7) = (wests.min(), souths.min())
        let columnShift = PageGroups.shift(for: easts.max() &- x)
        let rowShift = PageGroups.shift(for: UInt32(bitPattern: norths.max() &- latE7))
        let (step, row) = (columnShift &+ 1, rowShift &+ 1)
        unsafe put((wests &- x) &>> step, 0, start)
        unsafe put(Edges(truncatingIfNeeded: souths &- latE7) &>> row, 1, start)
        unsafe put((easts &- x) &>> step, 2, start)
        unsafe put(Edges(truncatingIfNeeded: norths &- latE7) &>> row, 3, start)
        // Shifts are below 16.
        return Head(
            x: x, latE7: latE7, columnShift: UInt8(truncatingIfNeeded: columnShift),
            rowShift: UInt8(truncatingIfNeeded: rowShift))
    }

    private typealias Edges<Number: SIMDScalar> = SIMD16<Number>

    private static func put(
        _ edges: Edges<UInt32>, _ side: Int, _ start: UnsafeMutableRawPointer
    ) {
        // A shift leaves 16 bits.
        unsafe start.storeBytes(
            of: SIMD16<UInt16>(truncatingIfNeeded: edges), toByteOffset: offset(side),
            as: SIMD16<UInt16>.self)
    }

    /// Half a step as a shift: a whole one is a bit more, and leaves 16 bits of the span.
    private static func shift(for span: UInt32) -> UInt32 {
        max(1, 16 - min(16, UInt32(truncatingIfNeeded: span.leadingZeroBitCount))) - 1
    }

    @inline(__always)
    private static func edges<Number: FixedWidthInteger>(
        of column: UnsafePointer<Number>, _ length: Int
    ) -> (least: Number, greatest: Number) {
        var least = unsafe column[0]
        var greatest = least
        if length == PageGroups.size {
            // Of a known length, so that the compiler makes vectors of it.
            for index in 1..<PageGroups.size {
                least = unsafe min(least, column[index])
                greatest = unsafe max(greatest, column[index])
            }
        } else {
            for index in 1..<max(1, length) {
                least = unsafe min(least, column[index])
                greatest = unsafe max(greatest, column[index])
            }
        }
        return (least, greatest)
    }
}
