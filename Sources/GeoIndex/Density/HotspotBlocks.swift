/// The occupied pixels in and around a window, in blocks of 64 × 64 pixels, with bounds of how
/// dense a block can be at most.
struct HotspotBlocks {
    /// The edge of a block, in pixels.
    static let edgePixels = 1 << Int(HotspotBackground.blockBits)
    /// The edge of a cell of the finer bound, in pixels.
    private static let cellPixels = 8

    let zoom: UInt8
    let kernel: DensityKernel
    private let limits: HotspotLimits
    /// The occupied pixels in Morton order.
    private var pixels: [Pixel] = []
    /// The blocks' numbers along the Z-curve, ascending, and where their pixels begin.
    private var keys: [UInt64] = []
    private var starts: [Int] = []
    private var sums: [UInt64] = []
    private var indices: [UInt64: Int] = [:]
    private(set) var isTooLarge = false

    /// An occupied pixel, by its column and row, and its weight.
    private struct Pixel {
        var x: UInt32
        var y: UInt32
        var weight: UInt32
    }

    init(_ query: HotspotQuery) {
        zoom = query.zoom
        kernel = query.kernel
        limits = query.limits
    }

    /// Columns and rows of blocks.
    private var worldBlocks: Int { 4 << Int(zoom) }

    /// Adds entries, which come in Morton order.
    mutating func add(xs: Span<UInt32>, ys: Span<UInt32>, weights: Span<UInt32>) {
        guard !isTooLarge else { return }
        let shift = UInt32(24 - zoom)
        for index in xs.indices where weights[index] > 0 {
            add(x: xs[index] &>> shift, y: ys[index] &>> shift, weight: UInt64(weights[index]))
        }
    }

    private mutating func add(x: UInt32, y: UInt32, weight: UInt64) {
        // Below 2^32 entries of less than 2^32 each: the sums fit.
        if let last = pixels.last, last.x == x, last.y == y {
            // Saturates as the cells of a picture do.
            pixels[pixels.count - 1].weight = UInt32(clamping: UInt64(last.weight) &+ weight)
        } else {
            let bits = UInt32(HotspotBackground.blockBits)
            let block = MortonKey(WorldPoint(x: x >> bits, y: y >> bits)).bits
            if keys.last != block {
                indices[block] = keys.count
                keys.append(block)
                starts.append(pixels.count)
                sums.append(0)
                isTooLarge = isTooLarge || keys.count > limits.blocks
            }
            pixels.append(Pixel(x: x, y: y, weight: UInt32(clamping: weight)))
            isTooLarge = isTooLarge || pixels.count > limits.pixels
        }
        sums[sums.count - 1] &+= weight
    }

    /// Adds the weight of a fixed cell evenly on its pixels.
    mutating func spread(_ cell: ProtectedCell) {
        let bits = 2 * UInt64(HeatOptions.fixedCellBits)
        let pixels = UInt64(1) << bits
        let (whole, rest) = cell.weight.quotientAndRemainder(dividingBy: pixels)
        for number in 0..<pixels {
            // Far below 2^64: both are at most 2^8.
            let share = whole + (number + 1) * rest / pixels - number * rest / pixels
            add(share, cell: cell.key << bits | number)
        }
    }

    /// Blocks that touch a window and whose density need not be 0: the occupied ones and those
    /// beside them. A maximum may lie between objects of two other blocks.
    func candidates(in window: WorldWindow) -> [(x: Int, y: Int, bound: Double)] {
        let side = UInt64(HotspotBlocks.edgePixels) << UInt64(24 - zoom)
        var bounds: [UInt64: UInt64] = [:]
        for (index, key) in keys.enumerated() {
            forEachNeighbour(of: key, within: 1) { bounds[$0, default: 0] &+= sums[index] }
        }
        return bounds.compactMap { key, sum in
            let (x, y) = (MortonKey.compact(key), MortonKey.compact(key >> 1))
            let block = WorldWindow(
                west: UInt32(UInt64(x) * side), width: side, north: UInt32(UInt64(y) * side),
                height: side)
            guard block.touches(window) else { return nil }
            return (Int(x), Int(y), bound(ofWeight: Double(sum)))
        }
    }

    /// Calls `body` with the numbers of the blocks at most `reach` columns and rows away, each
    /// once, the block itself too.
    private func forEachNeighbour(of key: UInt64, within reach: Int, _ body: (UInt64) -> Void) {
        let x = Int(MortonKey.compact(key))
        let y = Int(MortonKey.compact(key >> 1))
        // At zoom 0 the world is four blocks wide: two to the west is two to the east.
        let east = min(reach, worldBlocks - 1 - reach)
        for row in max(0, y - reach)...min(worldBlocks - 1, y + reach) {
            for column in x - reach...x + east {
                let wrapped = column & (worldBlocks - 1)
                body(MortonKey(WorldPoint(x: UInt32(wrapped), y: UInt32(row))).bits)
            }
        }
    }

    /// No density that the blur makes of a weight is greater: the whole of it at the kernel's
    /// peak, and half a unit for the rounding of each row.
    private func bound(ofWeight weight: Double) -> Double {
        let peak = Double(kernel.weight(atDistancePixels: 0))
        let rounding = Double(2 * kernel.marginPixels + 1) / 2 * peak
        return weight * peak / Double(UInt64(1) << kernel.rowShift) * peak * (1 + 0x1p-40)
            + rounding
    }

    /// A closer bound of the densities in a block, from the weights in cells of 8 × 8 pixels, each
    /// of which is taken to lie as near to each pixel as it can.
    ///
    /// - Complexity: O(occupied pixels in nine blocks).
    func closeBound(x: Int, y: Int) -> Double {
        let edge = HotspotBlocks.edgePixels / HotspotBlocks.cellPixels
        let ring = (kernel.marginPixels + HotspotBlocks.cellPixels - 1) / HotspotBlocks.cellPixels
        let size = edge + 2 * ring
        var cells = [Double](repeating: 0, count: size * size)
        let (left, top) = (x * edge - ring, y * edge - ring)
        let mask = worldBlocks * edge - 1
        forEachPixel(around: x, y, within: 1) { pixel in
            let column = (Int(pixel.x) / HotspotBlocks.cellPixels - left) & mask
            let row = Int(pixel.y) / HotspotBlocks.cellPixels - top
            if column < size, (0..<size).contains(row) {
                cells[row * size + column] += Double(pixel.weight)
            }
        }
        let peak = Double(kernel.weight(atDistancePixels: 0))
        let taps = (0...ring).map { offset in
            let nearest = max(0, (offset - 1) * HotspotBlocks.cellPixels + 1)
            return Double(kernel.weight(atDistancePixels: nearest)) / peak
        }
        var most = 0.0
        for row in 0..<edge {
            // One pass down, then along, for the row of cells.
            let down = (0..<size).map { column in
                (-ring...ring).reduce(0.0) { sum, offset in
                    sum + taps[abs(offset)] * cells[(row + ring + offset) * size + column]
                }
            }
            for column in 0..<edge {
                let sum = (-ring...ring).reduce(0.0) { sum, offset in
                    sum + taps[abs(offset)] * down[column + ring + offset]
                }
                most = max(most, sum)
            }
        }
        return bound(ofWeight: most)
    }

    private func forEachPixel(
        around x: Int, _ y: Int, within reach: Int, _ body: (Pixel) -> Void
    ) {
        let centre = MortonKey(WorldPoint(x: UInt32(x), y: UInt32(y))).bits
        forEachNeighbour(of: centre, within: reach) { key in
            guard let range = range(ofBlock: key) else { return }
            for index in range { body(pixels[index]) }
        }
    }

    private func range(ofBlock key: UInt64) -> Range<Int>? {
        indices[key].map { starts[$0]..<($0 + 1 < starts.count ? starts[$0 + 1] : pixels.count) }
    }

    /// The density of a block and of `reach` pixels around it, as a picture has it.
    ///
    /// - Complexity: O(pixels).
    func field(x: Int, y: Int, reachPixels reach: Int) -> DensityField {
        let edge = HotspotBlocks.edgePixels
        let window = PixelWindow(
            zoom: zoom, scale: 1, originX: x * edge - reach, originY: y * edge - reach,
            width: edge + 2 * reach, height: edge + 2 * reach)
        var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
        let blocks = (reach + kernel.marginPixels + edge - 1) / edge
        forEachPixel(around: x, y, within: blocks) { pixel in
            grid.add(UInt64(pixel.weight), column: Int(pixel.x), row: Int(pixel.y))
        }
        return DensityField(grid, kernel: kernel)
    }
}

extension HotspotBlocks: WeightSink {
    var isFull: Bool { isTooLarge }

    mutating func add(_ weight: UInt64, cell: UInt64) {
        guard weight > 0, !isTooLarge else { return }
        add(x: MortonKey.compact(cell), y: MortonKey.compact(cell >> 1), weight: weight)
    }

    mutating func add(_ page: LeafPage, _ range: Range<Int>) {
        add(
            xs: page.xs.extracting(range), ys: page.ys.extracting(range),
            weights: page.weights.extracting(range))
    }
}

extension WorldWindow {
    /// Whether two windows have a point in common.
    func touches(_ other: WorldWindow) -> Bool {
        guard !isEmpty, !other.isEmpty else { return false }
        let apart = UInt64(other.west &- west)
        let meets = apart < width || WorldWindow.worldSize - apart < other.width || apart == 0
        return meets && UInt64(north) < UInt64(other.north) + other.height
            && UInt64(other.north) < UInt64(north) + height
    }
}
