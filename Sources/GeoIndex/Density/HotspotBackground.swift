/// What a layer's density is compared with: its objects spread evenly over where it has any.
///
/// The *study region* of a zoom are the blocks of 64 × 64 pixels (quadtree cells of level zoom + 2)
/// that hold at least one object. Had the same objects been thrown into the region independently
/// and evenly (a homogeneous Poisson process of intensity λ, marked with their weights w), the
/// density at a pixel would have, by Campbell's theorem, the mean λ·E[w]·Σk and the variance
/// λ·E[w²]·Σk², where the sums run over the kernel. A score is the density's distance from that
/// mean in standard deviations.
///
/// This is the statistic Gi* of Getis and Ord on the grid of pixels, with the kernel as its weights
/// and the variance of counts that are Poisson. Their sample variance would need the sum of
/// squares of all pixels of the region, empty ones too, and would shrink the score of a place by
/// the very clustering that it shows. Sources: N. Campbell, "The study of discontinuous phenomena",
/// Proc. Camb. Phil. Soc. 15, 1909; A. Getis, J. K. Ord, "The analysis of spatial association by
/// use of distance statistics", Geographical Analysis 24, 1992; J. K. Ord, A. Getis, "Local spatial
/// autocorrelation statistics", Geographical Analysis 27, 1995.
///
/// All three sums are whole numbers, so that a score depends on the objects only.
public struct HotspotBackground: Hashable, Sendable {
    /// log2 of the side of a block, in pixels of the 256 px tile grid.
    static let blockBits: UInt8 = 6

    /// The zoom that it is for.
    public let zoom: UInt8
    /// Blocks of the study region.
    public internal(set) var blocks: UInt64 = 0
    /// Σ weight, in units of 1/256.
    public internal(set) var weight: UInt64 = 0
    /// Σ weight², in units of 1/65536.
    public internal(set) var squares: UInt128 = 0

    init(zoom: UInt8) { self.zoom = zoom }

    /// The level of the blocks of a zoom.
    static func blockLevel(zoom: UInt8) -> UInt8 { zoom + 8 - blockBits }
}

extension IndexSnapshot {
    /// The background of what may be told at a zoom: as of objects that weigh 1 each, since the sum
    /// of squares is none of what may be told.
    ///
    /// - Complexity: O(entries).
    public func hotspotBackground(
        zoom: UInt8, protection: HeatProtection
    ) -> HotspotBackground {
        precondition(zoom <= HeatProtection.finestZoom, "zoom \(zoom) has no cells of its own")
        var background = HotspotBackground(zoom: zoom)
        var counter = BlockCounter(level: HotspotBackground.blockLevel(zoom: zoom))
        let levels = UInt64(HotspotBackground.blockBits - HeatOptions.fixedCellBits)
        for cell in protectedCells(in: .world, zoom: zoom, protection) {
            counter.add(cell.weight, cell: cell.key >> (2 * levels))
            // At most 2^32 objects of less than 2^32 each.
            background.weight &+= cell.weight
        }
        background.squares = UInt128(background.weight) * UInt128(DensityGrid.weightUnit)
        background.blocks = counter.blocks
        return background
    }

    /// The background of the objects that heat shows at a zoom.
    ///
    /// - Complexity: without a filter, fading and protection of few owners O(occupied blocks),
    ///   from the sums that nodes keep; else O(entries in pages that may hold a match), which is
    ///   worth keeping for as long as the snapshot is the newest.
    public func hotspotBackground(
        zoom: UInt8, filter: EntryFilter = .all, options: HeatOptions
    ) -> HotspotBackground {
        precondition(zoom <= TileID.maxZoom, "zoom \(zoom) is past \(TileID.maxZoom)")
        let level = HotspotBackground.blockLevel(zoom: zoom)
        guard filter.keepsAll, options.isPlain else {
            return hotspotBackgroundOfEntries(zoom: zoom, filter: filter, options: options)
        }
        var counter = BlockCounter(level: level)
        addWeights(level: level, in: [0...(1 << (2 * UInt64(level))) - 1], to: &counter)
        var background = HotspotBackground(zoom: zoom)
        background.blocks = counter.blocks
        let sum = summary
        background.weight = sum.weight
        background.squares = sum.weightSquares
        return background
    }

    /// The same from a look at every entry.
    func hotspotBackgroundOfEntries(
        zoom: UInt8, filter: EntryFilter, options: HeatOptions
    ) -> HotspotBackground {
        var background = HotspotBackground(zoom: zoom)
        var counter = BlockCounter(level: HotspotBackground.blockLevel(zoom: zoom))
        forEachHeatChunk(in: .world, level: 0, zoom: zoom, filter: filter, options: options) {
            xs, ys, _, weights in
            counter.add(xs: xs, ys: ys, weights: weights)
            for index in weights.indices {
                let weight = UInt64(weights[index])
                // At most 2^32 entries of less than 2^32 each.
                background.weight &+= weight
                background.squares &+= UInt128(weight &* weight)
            }
        }
        background.blocks = counter.blocks
        return background
    }
}

/// Counts the blocks that hold something that weighs, which come in Morton order.
private struct BlockCounter: WeightSink {
    private(set) var blocks: UInt64 = 0
    /// The last one counted.
    private var x = UInt32.max
    private var y = UInt32.max
    private let shift: UInt32

    /// - Parameter level: Of the blocks: at least 1, so that no block has the number of none.
    init(level: UInt8) { shift = UInt32(32 - level) }

    var isFull: Bool { false }

    mutating func add(_ weight: UInt64, cell: UInt64) {
        if weight > 0 { add(x: MortonKey.compact(cell), y: MortonKey.compact(cell >> 1)) }
    }

    mutating func add(_ page: LeafPage, _ range: Range<Int>) {
        add(
            xs: page.xs.extracting(range), ys: page.ys.extracting(range),
            weights: page.weights.extracting(range))
    }

    mutating func add(xs: Span<UInt32>, ys: Span<UInt32>, weights: Span<UInt32>) {
        for index in xs.indices where weights[index] > 0 {
            add(x: xs[index] &>> shift, y: ys[index] &>> shift)
        }
    }

    @inline(__always)
    private mutating func add(x: UInt32, y: UInt32) {
        guard x != self.x || y != self.y else { return }
        blocks &+= 1
        (self.x, self.y) = (x, y)
    }
}

/// Turns densities into scores.
struct HotspotScale {
    private let mean: Double
    private let deviation: Double

    /// - Precondition: the background holds something.
    init(_ background: HotspotBackground, kernel: DensityKernel) {
        let pixels = Double(background.blocks << (2 * UInt64(HotspotBackground.blockBits)))
        let (sum, squares) = kernel.axisSums
        // The first pass of the blur divides by this.
        let unit = Double(UInt64(1) << kernel.rowShift)
        mean = Double(background.weight) * Double(sum) * Double(sum) / unit / pixels
        deviation =
            (Double(background.squares) * Double(squares) * Double(squares) / pixels).squareRoot()
            / unit
    }

    /// A density's score in hundredths, rounded: what is published and what orders hotspots.
    func hundredths(_ density: Double) -> Int64 {
        let score = ((density - mean) / deviation * 100).rounded()
        return Int64(min(max(score, -0x1p53), 0x1p53))
    }
}

extension DensityKernel {
    /// The sums of the weights along one axis and of their squares; both below 2^63.
    var axisSums: (weights: UInt64, squares: UInt64) {
        (-marginPixels...marginPixels).reduce(into: (UInt64(0), UInt64(0))) { sums, distance in
            let weight = weight(atDistancePixels: distance)
            sums.0 += weight
            sums.1 += weight * weight
        }
    }
}
