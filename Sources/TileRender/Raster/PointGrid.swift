public import GeoIndex

/// The pixels of a window and its margin on which objects lie, with the slot that shows on each.
///
/// Where several share a pixel, the highest slot shows; so the order of addition does not matter.
public struct PointGrid: Sendable {
    /// The pixels that the picture shows.
    public let window: PixelWindow
    /// How far the grid goes beyond them on each side: what ``PointLayer`` needs.
    public let marginPixels: Int
    /// Columns, margins included.
    public let columns: Int
    /// Rows, margins included.
    public let rows: Int
    /// One more than the slot, 0 where no object lies; row by row.
    @usableFromInline private(set) var cells: [UInt8]

    @usableFromInline let firstColumn: Int
    @usableFromInline let firstRow: Int
    @usableFromInline let shift: UInt32
    @usableFromInline let worldSize: Int

    /// Creates an empty grid.
    public init(window: PixelWindow) {
        self.window = window
        marginPixels = PointLayer.marginPixels(zoom: window.zoom, scale: window.scale)
        columns = window.width + 2 * marginPixels
        rows = window.height + 2 * marginPixels
        cells = [UInt8](repeating: 0, count: columns * rows)
        firstColumn = window.originX - marginPixels
        firstRow = window.originY - marginPixels
        shift = window.pixelShift
        worldSize = window.worldSizePixels
    }

    /// Adds an object; one outside the grid changes nothing. O(1).
    ///
    /// - Precondition: a table can have the slot.
    @inlinable
    public mutating func add(_ point: WorldPoint, slot: UInt8) {
        precondition(Int(slot) < KindStyle.mostSlots, "there is no slot \(slot)")
        let row = Int(point.y >> shift) &- firstRow
        guard row >= 0, row < rows else { return }
        // The world's size is a power of two: the mask is the remainder, also of a negative.
        var column = (Int(point.x >> shift) &- firstColumn) & (worldSize &- 1)
        while column < columns {
            let cell = row &* columns &+ column
            cells[cell] = max(cells[cell], slot &+ 1)
            column += worldSize
        }
    }

    /// Adds objects with a slot each. O(n).
    ///
    /// - Precondition: there are as many slots as points, and a table can have all.
    public mutating func add(_ points: Span<WorldPoint>, slots: Span<UInt8>) {
        precondition(points.count == slots.count, "\(slots.count) slots do not match")
        // A window that is narrower than the world shows no place twice: no inner loop.
        guard columns <= worldSize else {
            for index in points.indices { add(points[index], slot: slots[index]) }
            return
        }
        let (firstColumn, firstRow, shift) = (firstColumn, firstRow, shift)
        let (columns, rows, mask) = (columns, rows, worldSize - 1)
        let slotCount = UInt8(KindStyle.mostSlots)
        var target = cells.mutableSpan
        for index in points.indices {
            let column = (Int(points[index].x &>> shift) &- firstColumn) & mask
            let row = Int(points[index].y &>> shift) &- firstRow
            guard column < columns, UInt(bitPattern: row) < UInt(bitPattern: rows) else { continue }
            let slot = slots[index]
            precondition(slot < slotCount, "there is no slot \(slot)")
            let cell = row &* columns &+ column
            target[cell] = max(target[cell], slot &+ 1)
        }
    }

    /// Adds objects by their points' columns and rows, with the number of a kind each. O(n).
    ///
    /// Several times as fast as one by one where neighbours in the list share a pixel, as they do
    /// in the order of the keys.
    ///
    /// - Parameter slots: The slot of each kind by its number.
    /// - Precondition: there are as many rows and kinds as columns, each kind has a slot, and a
    ///   table can have that.
    public mutating func add(
        xs: Span<UInt32>, ys: Span<UInt32>, kinds: Span<UInt16>, slots: Span<UInt8>
    ) {
        precondition(xs.count == ys.count, "\(ys.count) rows do not match")
        precondition(xs.count == kinds.count, "\(kinds.count) kinds do not match")
        for index in slots.indices {
            precondition(Int(slots[index]) < KindStyle.mostSlots, "there is no such slot")
        }
        let (firstColumn, firstRow, shift) = (firstColumn, firstRow, shift)
        let (columns, rows, worldSize) = (columns, rows, worldSize)
        var target = cells.mutableSpan
        var next = 0
        while next < xs.count {
            let pixelColumn = xs[next] &>> shift
            let pixelRow = ys[next] &>> shift
            var mark: UInt8 = 0
            repeat {
                mark = max(mark, slots[Int(kinds[next])] &+ 1)
                next &+= 1
            } while next < xs.count && xs[next] &>> shift == pixelColumn
                && ys[next] &>> shift == pixelRow
            let row = Int(pixelRow) &- firstRow
            guard UInt(bitPattern: row) < UInt(bitPattern: rows) else { continue }
            var column = (Int(pixelColumn) &- firstColumn) & (worldSize &- 1)
            while column < columns {
                let cell = row &* columns &+ column
                target[cell] = max(target[cell], mark)
                column &+= worldSize
            }
        }
    }

    /// A hash of the cells: equal when, and for all that matters only when, the pictures are.
    ///
    /// - Complexity: O(cells).
    public var fingerprint: UInt64 { GridFingerprint.of(cells.span) }
}
