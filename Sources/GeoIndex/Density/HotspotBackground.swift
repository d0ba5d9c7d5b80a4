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
    /// The background of the objects that heat shows at a zoom.
    ///
    /// - Complexity: O(entries in pages that may hold a match). Worth keeping for as long as the
    ///   snapshot is the newest.
    public func hotspotBackground(
        zoom: UInt8, filter: EntryFilter = .all, options: HeatOptions
    ) -> HotspotBackground {
        precondition(zoom <= TileID.maxZoom, "zoom \(zoom) is past \(TileID.maxZoom)")
        var background = HotspotBackground(zoom: zoom)
        let shift = UInt32(32 - HotspotBackground.blockLevel(zoom: zoom))
        var last: (x: UInt32, y: UInt32)?
        forEachHeatChunk(in: .world, level: 0, zoom: zoom, filter: filter, options: options) {
            xs, ys, _, weights in
            for index in xs.indices where weights[index] > 0 {
                let block = (x: xs[index] &>> shift, y: ys[index] &>> shift)
                if last == nil || last?.x != block.x || last?.y != block.y {
                    background.blocks += 1
                    last = block
                }
                let weight = UInt64(weights[index])
                // At most 2^32 entries of less than 2^32 each.
                background.weight &+= weight
                background.squares &+= UInt128(weight &* weight)
            }
        }
        return background
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
