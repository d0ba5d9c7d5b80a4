public import GeoIndex

/// A cluster or a single object, as a picture shows it.
public struct ClusterMark: Hashable, Sendable {
    /// Where it lies.
    public let place: WorldPoint
    /// How many objects it stands for; 1 is drawn as a marker without digits.
    public let count: Int
    /// The colour and the icon: the ``KindStyle/slot(forKind:)`` of the kind that most members have.
    public let slot: UInt8

    /// Creates a mark.
    ///
    /// - Precondition: the count is at least 1, and a table can have the slot.
    public init(place: WorldPoint, count: Int, slot: UInt8) {
        precondition(count >= 1, "a mark cannot stand for \(count) objects")
        precondition(Int(slot) < KindStyle.mostSlots, "there is no slot \(slot)")
        self.place = place
        self.count = count
        self.slot = slot
    }
}

/// Draws clusters as round badges with their count, and singles as markers with the icon of their
/// kind, smaller ones for kinds without an icon.
///
/// A badge's size goes by the count's class: below 10, 100, 1 000, 10 000, and more. Larger
/// counts lie over smaller ones, of equal counts the one further along the Z-curve over the
/// other, then the higher slot: the marks' order in the list does not matter, and neighbouring
/// windows agree.
public struct ClusterLayer: Sendable {
    /// How far outside a window a mark may lie and still show in it, in pixels at scale 1:
    /// multiply by the scale.
    public static let marginPixels = 23

    /// The radius of a badge's fill by class, in pixels at scale 1.
    private static let radiiPixels = [11.5, 13.5, 15.5, 18.5, 20.5]
    /// The height of digits by class, in pixels at scale 1 and at scale 2.
    private static let digitHeightsPixels = [[9, 9, 9, 9, 9], [17, 17, 17, 19, 19]]

    /// The radius of the fill of a marker with an icon, in pixels at scale 1: between a plain
    /// marker's and the smallest badge's.
    static let iconRadiusPixels = 9.0

    private let marks: MarkPalette
    /// By scale and slot.
    private let markers: [[Sprite]]
    private let badges: [[Sprite]]
    private let fonts: [[LabelFont]]

    /// Draws the sprites, once for a process.
    ///
    /// - Throws: ``CanvasError`` when there is no memory.
    public init(_ style: KindStyle = .standard) throws(CanvasError) {
        var markers: [[Sprite]] = []
        var badges: [[Sprite]] = []
        var fonts: [[LabelFont]] = []
        for scale in 1...2 {
            let factor = Double(scale)
            let plain = try Sprite.disc(radiusPixels: 5.5 * factor, ringPixels: 2 * factor)
            var singles = [Sprite](repeating: plain, count: style.slotCount)
            for slot in singles.indices {
                guard let icon = style.icon(slot: UInt8(slot)) else { continue }
                singles[slot] = try .disc(
                    radiusPixels: ClusterLayer.iconRadiusPixels * factor, ringPixels: 2 * factor,
                    icon: icon, scale: scale)
            }
            markers.append(singles)
            var discs: [Sprite] = []
            for radius in ClusterLayer.radiiPixels {
                discs.append(try .disc(radiusPixels: radius * factor, ringPixels: 2 * factor))
            }
            badges.append(discs)
            var sizes: [LabelFont] = []
            for height in ClusterLayer.digitHeightsPixels[scale - 1] {
                sizes.append(try LabelFont(digitHeightPixels: height))
            }
            fonts.append(sizes)
        }
        marks = MarkPalette(style)
        self.markers = markers
        self.badges = badges
        self.fonts = fonts
    }

    /// The picture of a window. Marks outside it and its margin change nothing.
    ///
    /// - Precondition: the slots are of the layer's style.
    /// - Complexity: O(n log n + pixels of the marks).
    public func draw(_ marks: [ClusterMark], in window: PixelWindow) -> IndexedImage {
        var image = IndexedImage(
            width: window.width, height: window.height, palette: self.marks.palette)
        for mark in marks.sorted(by: ClusterLayer.isBelow) {
            window.forEachPixel(
                of: mark.place, marginPixels: ClusterLayer.marginPixels * window.scale
            ) { column, row in
                draw(mark, scale: window.scale, column: column, row: row, into: &image)
            }
        }
        return image
    }

    private func draw(
        _ mark: ClusterMark, scale: Int, column: Int, row: Int, into image: inout IndexedImage
    ) {
        guard mark.count > 1 else {
            return image.draw(
                markers[scale - 1][Int(mark.slot)], column: column, row: row, slot: mark.slot,
                overlays: marks.overlays)
        }
        let size = ClusterLayer.sizeClass(of: mark.count)
        image.draw(
            badges[scale - 1][size], column: column, row: row, slot: mark.slot,
            overlays: marks.overlays)
        fonts[scale - 1][size].draw(
            CountLabel.abbreviated(mark.count), into: &image, column: column, row: row,
            slot: mark.slot, overlays: marks.overlays)
    }

    private static func sizeClass(of count: Int) -> Int {
        switch count {
        case ..<10: 0
        case ..<100: 1
        case ..<1000: 2
        case ..<10_000: 3
        default: 4
        }
    }

    private static func isBelow(_ left: ClusterMark, _ right: ClusterMark) -> Bool {
        if left.count != right.count { return left.count < right.count }
        if left.place != right.place { return MortonKey(left.place) < MortonKey(right.place) }
        return left.slot < right.slot
    }
}

extension PixelWindow {
    /// Calls `body` with each column and row, relative to the window, where a place lies in the
    /// window or its margin: more than once where the window shows a place of the world twice.
    func forEachPixel(
        of place: WorldPoint, marginPixels: Int, _ body: (_ column: Int, _ row: Int) -> Void
    ) {
        let row = Int(place.y >> pixelShift) - originY
        guard (-marginPixels..<height + marginPixels).contains(row) else { return }
        let world = worldSizePixels
        // The world's size is a power of two: the mask is the remainder, also of a negative.
        let first = (Int(place.x >> pixelShift) - originX + marginPixels) & (world - 1)
        for column in stride(from: first - marginPixels, to: width + marginPixels, by: world) {
            body(column, row)
        }
    }
}
