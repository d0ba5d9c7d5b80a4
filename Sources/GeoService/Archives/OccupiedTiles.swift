import GeoIndex
import TileRender

/// Why there are no tiles to draw.
struct TooManyTiles: Error {
    /// How many tiles are drawn at most.
    let limit: Int
}

/// Finds the tiles on which something may show: those with objects on them or close by.
///
/// It looks at the objects and never at addresses, of which there are 4^14 at zoom 14 alone.
struct OccupiedTiles {
    /// log2 of the parts of a tile's edge by which nearness is judged: 16 pixels each.
    private static let partBits: UInt32 = 4
    private static let partPixels = PixelWindow.tileSizePixels >> Int(partBits)

    private let zoom: UInt8
    private let level: UInt32
    /// How many parts away from an object its picture may reach.
    private let reach: UInt32
    private let area: TileArea
    private let limit: Int
    private var numbers: [UInt64] = []
    /// The tiles of the last objects, so that most are noted once.
    private var recent = [UInt64](repeating: .max, count: 1 << 12)
    private var lastPart = UInt64.max
    /// Whether there are more than the limit.
    private var isOver = false

    private init(_ area: TileArea, reachPixels: Int, limit: Int) {
        self.area = area
        self.limit = limit
        zoom = area.zoom
        level = UInt32(area.zoom) + OccupiedTiles.partBits
        let parts = (reachPixels + OccupiedTiles.partPixels - 1) / OccupiedTiles.partPixels
        reach = UInt32(min(max(parts, 1), 1 << Int(OccupiedTiles.partBits)))
    }

    /// The numbers (``GeoIndex/TileID/hilbertNumber``) of the tiles of an area on which something
    /// may show, ascending.
    ///
    /// - Parameters:
    ///   - reachPixels: How far from an object, in pixels of the 256 px grid, its picture or that
    ///     of the cluster that it is in may reach; a tile at most is looked at.
    ///   - limit: How many tiles are taken.
    /// - Throws: ``TooManyTiles``.
    /// - Complexity: O(objects in the area + t log t) for t tiles.
    static func numbers(
        in area: TileArea, of snapshot: IndexSnapshot, filter: EntryFilter, reachPixels: Int,
        limit: Int
    ) throws(TooManyTiles) -> [UInt64] {
        var found = OccupiedTiles(area, reachPixels: reachPixels, limit: limit)
        let margin = UInt64(found.reach) << UInt64(32 - found.level)
        snapshot.forEachChunk(
            in: area.window.expanded(by: margin), level: UInt8(found.level), filter: filter
        ) { xs, ys, _, _ in
            for index in xs.indices { found.note(x: xs[index], y: ys[index]) }
        }
        if !found.isOver { found.compact() }
        if found.isOver { throw TooManyTiles(limit: limit) }
        return found.numbers
    }

    private mutating func note(x: UInt32, y: UInt32) {
        let column = x >> (32 - level)
        let row = y >> (32 - level)
        let part = UInt64(column) << 32 | UInt64(row)
        // Neighbours in the index mostly lie in one part.
        if part == lastPart || isOver { return }
        lastPart = part
        let bits = OccupiedTiles.partBits
        let side = UInt32(1) << level
        // Columns wrap at 180°, rows end at the poles' edges.
        let west = (column &- reach) & (side - 1)
        let east = (column &+ reach) & (side - 1)
        let north = row >= reach ? row - reach : 0
        let south = min(row + reach, side - 1)
        note(tileX: west >> bits, tileY: north >> bits)
        if east >> bits != west >> bits { note(tileX: east >> bits, tileY: north >> bits) }
        // A reach is a tile at most, so that there may be a tile between the edges.
        let middle = column >> bits
        if middle != west >> bits && middle != east >> bits {
            note(tileX: middle, tileY: north >> bits)
        }
        for tileRow in [row >> bits, south >> bits] where tileRow != north >> bits {
            note(tileX: west >> bits, tileY: tileRow)
            if east >> bits != west >> bits { note(tileX: east >> bits, tileY: tileRow) }
            if middle != west >> bits && middle != east >> bits {
                note(tileX: middle, tileY: tileRow)
            }
        }
    }

    private mutating func note(tileX x: UInt32, tileY y: UInt32) {
        let key = UInt64(x) << 32 | UInt64(y)
        let slot = Int(truncatingIfNeeded: (x &* 31 &+ y) & 0xfff)
        if recent[slot] == key { return }
        recent[slot] = key
        guard area.contains(x: x, y: y),
            let tile = try? TileID(zoom: Int(zoom), x: Int(x), y: Int(y))
        else { return }
        numbers.append(tile.hilbertNumber)
        if numbers.count > 2 * limit + 1_024 { compact() }
    }

    private mutating func compact() {
        numbers.sort()
        var kept = 0
        for number in numbers where kept == 0 || numbers[kept - 1] != number {
            numbers[kept] = number
            kept += 1
        }
        numbers.removeLast(numbers.count - kept)
        if kept > limit { isOver = true }
    }
}

/// The tiles of one zoom that a box touches.
struct TileArea {
    let zoom: UInt8
    private let x: UInt32
    private let width: UInt64
    private let y: UInt32
    private let height: UInt64

    /// The tiles of a zoom that have points of a box; of an empty box those at its north-west.
    init(_ box: BoundingBox, zoom: UInt8) {
        let window = WorldWindow(box)
        let shift = UInt64(32 - zoom)
        let last = UInt64(window.west) + max(window.width, 1) - 1
        let bottom = UInt64(window.north) + max(window.height, 1) - 1
        self.zoom = zoom
        let columns = (last >> shift) - (UInt64(window.west) >> shift) + 1
        let isAll = columns >= 1 << UInt64(zoom)
        x = isAll ? 0 : UInt32(UInt64(window.west) >> shift)
        width = isAll ? 1 << UInt64(zoom) : columns
        y = UInt32(UInt64(window.north) >> shift)
        height = (bottom >> shift) - UInt64(y) + 1
    }

    /// How many tiles there are.
    var count: UInt64 { width * height }

    /// The tiles' points.
    var window: WorldWindow {
        let shift = UInt64(32 - zoom)
        return WorldWindow(
            west: UInt32(truncatingIfNeeded: UInt64(x) << shift), width: width << shift,
            north: UInt32(truncatingIfNeeded: UInt64(y) << shift), height: height << shift)
    }

    /// Whether a tile of the zoom is one of them.
    func contains(x column: UInt32, y row: UInt32) -> Bool {
        let mask = UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(zoom)) - 1)
        return UInt64((column &- x) & mask) < width && row >= y && UInt64(row - y) < height
    }
}
