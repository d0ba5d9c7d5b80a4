/// Finds the hottest maxima by blurring the most promising blocks first.
struct HotspotSearch {
    private let query: HotspotQuery
    private let scale: HotspotScale
    private let kernel: DensityKernel
    private let reach: Int
    /// The neighbours that a maximum must exceed, the nearest first.
    private let rivals: [(column: Int, row: Int)]
    private var found: [Hotspot] = []

    init(_ query: HotspotQuery, _ background: HotspotBackground) {
        self.query = query
        kernel = query.kernel
        scale = HotspotScale(background, kernel: kernel)
        let reach = query.reachPixels
        self.reach = reach
        var rivals: [(column: Int, row: Int)] = []
        for row in -reach...reach {
            for column in -reach...reach where (column, row) != (0, 0) {
                if column * column + row * row < reach * reach { rivals.append((column, row)) }
            }
        }
        self.rivals = rivals.sorted {
            $0.column * $0.column + $0.row * $0.row < $1.column * $1.column + $1.row * $1.row
        }
    }

    /// A block that may hold hotspots.
    private struct Candidate: HeapElement {
        var x: Int
        var y: Int
        var bound: Double
        var isClose: Bool

        func precedes(_ other: Candidate) -> Bool { bound > other.bound }
    }

    /// - Throws: ``HotspotError/tooEven(blockLimit:)``.
    mutating func run(_ blocks: HotspotBlocks) throws(HotspotError) -> [Hotspot] {
        var heap = BinaryHeap<Candidate>()
        for block in blocks.candidates(in: query.window) {
            heap.insert(Candidate(x: block.x, y: block.y, bound: block.bound, isClose: false))
        }
        var blurred = 0
        while var next = heap.popFirst() {
            let best = scale.hundredths(next.bound)
            // A block whose best would be equal to the last of those found may have a smaller id.
            if best <= 0 || (found.count >= query.limit && best < found[query.limit - 1].hundredths)
            {
                break
            }
            if !next.isClose {
                next.bound = min(next.bound, blocks.closeBound(x: next.x, y: next.y))
                next.isClose = true
                heap.insert(next)
                continue
            }
            blurred += 1
            guard blurred <= query.limits.blurs else {
                throw .tooEven(blockLimit: query.limits.blurs)
            }
            let maxima = maxima(of: blocks, x: next.x, y: next.y)
            if !maxima.isEmpty {
                found.append(contentsOf: maxima)
                found.sort(by: Hotspot.precedes)
            }
        }
        return Array(found.prefix(query.limit))
    }

    /// The hotspots in a block.
    private func maxima(of blocks: HotspotBlocks, x: Int, y: Int) -> [Hotspot] {
        let field = blocks.field(x: x, y: y, reachPixels: reach)
        let (edge, width) = (HotspotBlocks.edgePixels, field.window.width)
        let mask = field.window.worldSizePixels - 1
        let steps = rivals.map { $0.row * width + $0.column }
        let values = field.values.span
        var maxima: [Hotspot] = []
        for row in 0..<edge {
            for column in 0..<edge {
                let index = (row + reach) * width + column + reach
                let density = values[index]
                guard density > 0 else { continue }
                let isMaximum = steps.indices.allSatisfy { rival in
                    let other = values[index + steps[rival]]
                    if other != density { return other < density }
                    return key(x * edge + column, y * edge + row, mask)
                        < key(
                            x * edge + column + rivals[rival].column,
                            y * edge + row + rivals[rival].row, mask)
                }
                guard isMaximum else { continue }
                let hotspot = Hotspot(
                    zoom: query.zoom, column: x * edge + column, row: y * edge + row,
                    density: density, hundredths: scale.hundredths(Double(density)))
                if hotspot.hundredths > 0, query.window.contains(hotspot.point) {
                    maxima.append(hotspot)
                }
            }
        }
        return maxima
    }

    /// The place of a pixel in Morton order; the world is round. Rows beyond its edges, whose
    /// densities are below those within, come last.
    private func key(_ column: Int, _ row: Int, _ mask: Int) -> UInt64 {
        guard (0...mask).contains(row) else { return .max }
        return MortonKey(WorldPoint(x: UInt32(column & mask), y: UInt32(row))).bits
    }
}
