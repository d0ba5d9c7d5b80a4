/// The keys of a few quadtree cells that hold a square of the Web Mercator plane: up to four
/// ranges, ascending, of which no two touch.
struct KeyRanges {
    private var first = InlineArray<4, UInt64>(repeating: 0)
    private var last = InlineArray<4, UInt64>(repeating: 0)
    private(set) var count = 0

    /// The cells that hold all points whose column and row differ from a point's by at most
    /// `columns` and `rows`; columns wrap.
    init(around point: WorldPoint, columns: UInt32, rows: UInt32) {
        // The smallest cells of which one is not less than the square: its corners lie in four.
        let side = max(columns, rows)
        guard side < 1 << 29 else {
            first[0] = 0
            last[0] = .max
            count = 1
            return
        }
        let height = UInt64(32 - (2 * side + 1).leadingZeroBitCount)
        let west = point.x &- columns
        let east = point.x &+ columns
        let north = point.y > rows ? point.y - rows : 0
        let south = point.y > .max - rows ? .max : point.y + rows
        add(west, north, height)
        let isWide = west >> UInt32(height) != east >> UInt32(height)
        let isHigh = north >> UInt32(height) != south >> UInt32(height)
        if isWide { add(east, north, height) }
        if isHigh { add(west, south, height) }
        if isWide && isHigh { add(east, south, height) }
        join()
    }

    /// Whether one of them has a key between two.
    @inline(__always)
    func meet(_ low: UInt64, _ high: UInt64) -> Bool {
        for number in 0..<count where low <= last[number] && high >= first[number] { return true }
        return false
    }

    /// Puts in the cell of a size that holds a point, in its place.
    private mutating func add(_ x: UInt32, _ y: UInt32, _ height: UInt64) {
        let key = (MortonKey(WorldPoint(x: x, y: y)).bits >> (2 * height)) << (2 * height)
        var place = count
        while place > 0 && first[place - 1] > key {
            first[place] = first[place - 1]
            last[place] = last[place - 1]
            place -= 1
        }
        first[place] = key
        last[place] = key | (1 << (2 * height) - 1)
        count += 1
    }

    private mutating func join() {
        var kept = 0
        for number in 1..<max(1, count) {
            if first[number] == last[kept] + 1 {
                last[kept] = last[number]
            } else {
                kept += 1
                first[kept] = first[number]
                last[kept] = last[number]
            }
        }
        count = kept + 1
    }
}
