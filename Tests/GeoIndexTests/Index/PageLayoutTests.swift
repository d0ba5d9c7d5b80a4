import TestSupport
import Testing

@testable import GeoIndex

struct PageLayoutTests {
    /// Layouts with all optional columns and with none, and all between.
    private static func layouts(count: Int) -> [PageLayout] {
        [0, 1, 3].flatMap { fields in
            (0..<8).map { bits in
                PageLayout(
                    count: count, hasExpiries: bits & 1 != 0, hasOwners: bits & 2 != 0,
                    hasEastEnd: bits & 4 != 0, fields: fields)
            }
        }
    }

    /// The columns that a page has, and the bytes of one entry in each.
    private static func columns(of layout: PageLayout) -> [(offset: Int, stride: Int)] {
        var columns = [
            (layout.xs, 4), (layout.ys, 4), (layout.lats, 4), (layout.weights, 4),
            (layout.objects, 8), (layout.times, 8), (layout.contents, 8), (layout.kinds, 2),
        ]
        if layout.hasExpiries { columns.append((layout.expiries, 8)) }
        if layout.hasOwners { columns.append((layout.owners, 8)) }
        for field in 0..<layout.fields {
            columns.append((layout.values + 8 * layout.count * field, 8))
        }
        if layout.hasEastEnd { columns.append((layout.eastEnds, 1)) }
        return columns
    }

    @Test("columns are aligned, share no byte and leave out only the gaps")
    func columns() {
        for layout in (1...LeafPage.capacity).flatMap(Self.layouts) {
            #expect(layout.xs % PageLayout.lineBytes == 0, "\(layout)")
            #expect(layout.lats % PageLayout.lineBytes == 0, "\(layout)")
            var ranges = layout.gaps + [0..<PageGroups.bytes]
            for (offset, stride) in Self.columns(of: layout) {
                #expect(offset % stride == 0, "\(offset) of \(layout)")
                ranges.append(offset..<(offset + stride * layout.count))
            }
            ranges.removeAll(where: \.isEmpty)
            ranges.sort { $0.lowerBound < $1.lowerBound }
            let isWhole = zip(ranges, ranges.dropFirst()).allSatisfy {
                $0.upperBound == $1.lowerBound
            }
            #expect(isWhole, "\(layout)")
            // Groups are read whole, whether they are full or not.
            let groups = (layout.count + PageGroups.size - 1) / PageGroups.size
            let end = layout.lats + groups * PageLayout.lineBytes
            #expect(end <= PageBlocks.size(for: layout.bytes), "\(layout)")
            #expect(ranges.first?.lowerBound == 0 && ranges.last?.upperBound == layout.bytes)
        }
    }

    @Test("a layout comes back from its word")
    func words() {
        for layout in [1, 2, 255, 256].flatMap(Self.layouts) {
            let back = PageLayout(word: layout.word, layerFields: layout.fields)
            #expect(back == layout)
            #expect(back?.count == layout.count && back?.fields == layout.fields)
            #expect(back?.hasExpiries == layout.hasExpiries)
            #expect(back?.hasOwners == layout.hasOwners)
            #expect(back?.hasEastEnd == layout.hasEastEnd)
        }
    }

    @Test(
        "a word of no layout is refused",
        arguments: [
            0, 257, 0x1000, 0x1001, 0xffff, 1 << 16, 1 | 1 << 19, 1 | 1 << 31, 1 | 1 << 32,
            1 | 3 << 32, 1 | 1 << 48, 1 | 65_536 << 32, .max,
        ] as [UInt64])
    func noLayouts(word: UInt64) {
        #expect(PageLayout(word: word, layerFields: 2) == nil)
    }

    @Test("a fresh page fills its block")
    func built() {
        let layout = PageLayout(
            count: LeafPage.built, hasExpiries: false, hasOwners: false, hasEastEnd: false,
            fields: 0)
        #expect(PageBlocks.size(for: layout.bytes) - layout.bytes < 64)
    }
}
