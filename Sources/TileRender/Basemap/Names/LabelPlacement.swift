internal import GeoIndex

/// Which names show at which zoom, decided once for the whole world: every picture asks the same
/// table, so a name is in all pictures that it touches or in none.
///
/// Zoom by zoom, the most important names claim room first. A town that has room keeps it at all
/// deeper zooms, for distances double from zoom to zoom while boxes, which contain their places,
/// less than double: so towns never vanish as one zooms in. Names of countries and waters find
/// room anew at every zoom.
struct LabelPlacement: Sendable {
    /// A name that has room.
    struct Placed: Equatable, Sendable {
        /// The index of the name on the map.
        let label: Int32
        /// The zooms at which it shows there.
        let zooms: ClosedRange<UInt8>
        let side: LabelLayout.Side
    }

    /// The lists' edge: the world is 2^bucketBits lists wide and high.
    static let bucketBits = 6

    /// Names that have room by the part of the world, by first zoom within each.
    let buckets: [[Placed]]
    /// How far from its place a name can reach at any zoom, in pixels at scale 1.
    let reachPixels: Int

    /// Places the names of a map.
    ///
    /// - Complexity: O(n · zooms), tens of milliseconds for 65 000 names.
    init(map: WorldMap, names: BasemapStyle.Names) throws(CanvasError) {
        var solver = LabelSolver(map: map, names: names)
        try solver.solve()
        let edge = 1 << LabelPlacement.bucketBits
        var buckets = [[Placed]](repeating: [], count: edge * edge)
        let shift = map.labelGridBits - LabelPlacement.bucketBits
        for placed in solver.placed {
            let label = map.labels[Int(placed.label)]
            buckets[Int(label.y) >> shift * edge + Int(label.x) >> shift].append(placed)
        }
        self.buckets = buckets
        // The solver's boxes are those of the first zoom of each name; spots do not grow, halos
        // and letters that outgrow their boxes take some more.
        let growth = names.townGrowth.range
        let most = growth.upperBound / growth.lowerBound * 1.2
        reachPixels = Int((solver.reachPixels * most + names.haloWidthPixels).rounded(.up))
    }

    /// Calls `body` with the names that may touch a window and with the pixel of their place,
    /// relative to the window, at the window's scale; the most important last.
    ///
    /// - Parameter marginPixels: How much more around the window they may touch instead.
    func forEach(
        in window: PixelWindow, map: WorldMap, marginPixels: Int = 0,
        _ body: (Placed, _ x: Int, _ y: Int) -> Void
    ) {
        let scale = window.scale
        let world = window.worldSizePixels
        let reach = reachPixels * scale + marginPixels
        let edge = 1 << LabelPlacement.bucketBits
        let bucketPixels = max(1, world / edge)
        let shift = map.labelGridBits - 8 - Int(window.zoom)
        let rows = max(0, window.originY - reach)...max(0, window.originY + window.height + reach)
        let firstRow = min(edge - 1, rows.lowerBound * edge / world)
        let lastRow = min(edge - 1, rows.upperBound * edge / world)
        // Columns are counted on through 180°, and told apart by turns of the world.
        let firstColumn = (window.originX - reach - bucketPixels) * edge / world - 1
        let lastColumn = (window.originX + window.width + reach) * edge / world
        var found: [(placed: Placed, x: Int, y: Int)] = []
        for row in firstRow...lastRow {
            for column in firstColumn...lastColumn {
                let turn = column >> LabelPlacement.bucketBits
                let bucket = buckets[row * edge + column & (edge - 1)]
                for placed in bucket {
                    if placed.zooms.lowerBound > window.zoom { break }
                    if placed.zooms.upperBound < window.zoom { continue }
                    let label = map.labels[Int(placed.label)]
                    let x = LabelPlacement.pixel(label.x, shift) * scale
                    let y = LabelPlacement.pixel(label.y, shift) * scale
                    let left = x + turn * world - window.originX
                    let top = y - window.originY
                    guard (-reach...window.width + reach).contains(left),
                        (-reach...window.height + reach).contains(top)
                    else { continue }
                    found.append((placed, left, top))
                }
            }
        }
        found.sort { ($0.placed.label, $0.x) > ($1.placed.label, $1.x) }
        for entry in found { body(entry.placed, entry.x, entry.y) }
    }

    /// The pixel of a grid coordinate at scale 1, rounded down on the global grid; a unit has
    /// 2^-shift pixels.
    static func pixel(_ unit: Int32, _ shift: Int) -> Int {
        shift >= 0 ? Int(unit) >> shift : Int(unit) << -shift
    }
}
