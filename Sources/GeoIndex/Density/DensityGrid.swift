/// The weight of objects in each pixel of a window and of a margin around it.
///
/// Weights are whole multiples of 1/256 and cells saturate, so that the sums do not depend on the
/// order of addition. An object shows in as many cells as the window has copies of its place:
/// a window wider than the world repeats it.
///
///     var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
///     for point in points { grid.add(point, weight: DensityGrid.weightUnit) }
public struct DensityGrid: Sendable {
    /// The stored weight of an object that weighs 1.
    public static let weightUnit: UInt32 = 256

    /// The pixels that the picture shows.
    public let window: PixelWindow
    /// How far the grid goes beyond them on each side.
    public let marginPixels: Int
    /// Columns, margins included.
    public let columns: Int
    /// Rows, margins included.
    public let rows: Int
    /// The weights in units of 1/256, row by row.
    @usableFromInline private(set) var cells: [UInt32]

    @usableFromInline let firstColumn: Int
    @usableFromInline let firstRow: Int
    @usableFromInline let shift: UInt32
    @usableFromInline let worldSize: Int

    /// Creates an empty grid.
    ///
    /// - Precondition: the margin is in `0...256`.
    public init(window: PixelWindow, marginPixels: Int) {
        precondition((0...256).contains(marginPixels), "a margin cannot be \(marginPixels) pixels")
        self.window = window
        self.marginPixels = marginPixels
        columns = window.width + 2 * marginPixels
        rows = window.height + 2 * marginPixels
        cells = [UInt32](repeating: 0, count: columns * rows)
        firstColumn = window.originX - marginPixels
        firstRow = window.originY - marginPixels
        shift = window.pixelShift
        worldSize = window.worldSizePixels
    }

    /// Adds an object; one outside the grid changes nothing. O(1).
    ///
    /// - Parameter weight: In units of 1/256.
    @inlinable
    public mutating func add(_ point: WorldPoint, weight: UInt32) {
        let row = Int(point.y >> shift) &- firstRow
        guard row >= 0, row < rows else { return }
        // The world's size is a power of two: the mask is the remainder, also of a negative.
        var column = (Int(point.x >> shift) &- firstColumn) & (worldSize &- 1)
        while column < columns {
            let cell = row &* columns &+ column
            let (sum, overflow) = cells[cell].addingReportingOverflow(weight)
            cells[cell] = overflow ? .max : sum
            column += worldSize
        }
    }

    /// Adds objects that weigh the same. O(n).
    public mutating func add(_ points: Span<WorldPoint>, weight: UInt32) {
        // A window that is narrower than the world shows no place twice: no inner loop.
        guard columns <= worldSize else {
            for index in points.indices { add(points[index], weight: weight) }
            return
        }
        let (firstColumn, firstRow, shift) = (firstColumn, firstRow, shift)
        let (columns, rows, mask) = (columns, rows, worldSize - 1)
        var target = cells.mutableSpan
        for index in points.indices {
            let column = (Int(points[index].x &>> shift) &- firstColumn) & mask
            let row = Int(points[index].y &>> shift) &- firstRow
            guard column < columns, UInt(bitPattern: row) < UInt(bitPattern: rows) else { continue }
            let cell = row &* columns &+ column
            let (sum, overflow) = target[cell].addingReportingOverflow(weight)
            target[cell] = overflow ? .max : sum
        }
    }

    /// Adds objects with a weight each, in units of 1/256. O(n).
    ///
    /// - Precondition: there are as many weights as points.
    public mutating func add(_ points: Span<WorldPoint>, weights: Span<UInt32>) {
        precondition(points.count == weights.count, "\(weights.count) weights do not match")
        for index in points.indices { add(points[index], weight: weights[index]) }
    }

    /// Adds objects by their points' columns and rows, with a weight each, in units of 1/256. O(n).
    ///
    /// Several times as fast as one by one where neighbours in the list share a pixel, as they do
    /// in the order of the keys.
    ///
    /// - Precondition: there are as many rows and weights as columns.
    public mutating func add(xs: Span<UInt32>, ys: Span<UInt32>, weights: Span<UInt32>) {
        precondition(xs.count == ys.count, "\(ys.count) rows do not match")
        precondition(xs.count == weights.count, "\(weights.count) weights do not match")
        var next = 0
        while next < xs.count {
            let column = xs[next] &>> shift
            let row = ys[next] &>> shift
            // Fewer than 2^32 weights below 2^32 each.
            var weight: UInt64 = 0
            repeat {
                weight &+= UInt64(weights[next])
                next &+= 1
            } while next < xs.count && xs[next] &>> shift == column && ys[next] &>> shift == row
            add(weight, column: Int(column), row: Int(row))
        }
    }

    /// Adds a weight on a pixel of the world.
    @inline(__always)
    mutating func add(_ weight: UInt64, column: Int, row: Int) {
        let row = row &- firstRow
        guard UInt(bitPattern: row) < UInt(bitPattern: rows) else { return }
        var column = (column &- firstColumn) & (worldSize &- 1)
        while column < columns {
            let cell = row &* columns &+ column
            cells[cell] = UInt32(clamping: weight &+ UInt64(cells[cell]))
            column &+= worldSize
        }
    }

    /// Adds a weight, in units of 1/256, evenly on all pixels of a square of the world: the units that
    /// do not come out even lie evenly among them, always on the same pixels.
    ///
    /// - Parameters:
    ///   - column: The westernmost column, in the world's pixels.
    ///   - row: The northernmost row.
    ///   - side: Columns and rows: a power of two up to 2^15, so that the square lies in the world.
    /// - Complexity: O(columns + pixels of the square in the grid).
    mutating func spread(_ weight: UInt64, column: Int, row: Int, side: Int) {
        let pixels = UInt64(side * side)
        let (whole, rest) = weight.quotientAndRemainder(dividingBy: pixels)
        let top = max(row, firstRow)
        let bottom = min(row + side, firstRow + rows)
        guard top < bottom else { return }
        for place in 0..<columns {
            let inside = ((firstColumn &+ place) & (worldSize &- 1)) &- column
            guard inside >= 0, inside < side else { continue }
            for line in top..<bottom {
                // Both factors are at most 2^30.
                let number = UInt64((line - row) * side + inside)
                let share = whole + (number + 1) * rest / pixels - number * rest / pixels
                let cell = (line - firstRow) * columns + place
                cells[cell] = UInt32(clamping: share &+ UInt64(cells[cell]))
            }
        }
    }

    /// A hash of the cells: equal when, and for all that matters only when, the pictures are.
    ///
    /// - Complexity: O(cells).
    public var fingerprint: UInt64 { GridFingerprint.of(cells.span) }
}
