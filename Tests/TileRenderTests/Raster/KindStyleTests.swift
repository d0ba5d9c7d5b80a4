import Glibc
import Testing
import TileRender

struct KindStyleTests {
    private let style = KindStyle.standard

    @Test("named kinds, the neutral one and others have different slots")
    func slots() {
        let named = style.named.map { style.slot(forKind: $0.kind) }
        #expect(Set(named).count == 5)
        #expect(!named.contains(KindStyle.neutralSlot))
        #expect(style.slot(forKind: nil) == KindStyle.neutralSlot)
        #expect(style.slot(forKind: "") == KindStyle.neutralSlot)
        let others = Set((0..<500).map { style.slot(forKind: "kind \($0)") })
        #expect(others.count == style.slotCount - 6)
        #expect(others.isDisjoint(with: named + [KindStyle.neutralSlot]))
    }

    @Test("a name keeps its slot from release to release")
    func stable() {
        #expect(style.slot(forKind: "marker") == 11)
        #expect(style.slot(forKind: "event") == 10)
        #expect(style.hexColor(slot: 10) == "#d63d1f")
        #expect(style.slot(forKind: "café") == style.slot(forKind: "café"))
        #expect(style.slot(forKind: "bench") == 1 + KindStyleTests.fnv1a("bench") % 6)
    }

    @Test("colours differ, and white digits on them have a contrast of at least 4 to 1")
    func contrast() throws {
        let colors = (0..<UInt8(style.slotCount)).map { style.hexColor(slot: $0) }
        #expect(Set(colors).count == style.slotCount)
        for color in colors {
            let contrast = 1.05 / (KindStyleTests.luminance(color) + 0.05)
            #expect(contrast >= KindStyle.leastContrast, "\(color)")
            let rgb = try #require(UInt32(color.dropFirst(), radix: 16))
            #expect(abs(KindStyle.contrast(toWhite: rgb) - contrast) < 1e-3)
        }
    }

    @Test("the fingerprint sees every colour, name and step of an icon, and their order")
    func fingerprint() {
        func style(
            _ neutral: UInt32 = 1, _ kind: String = "a", _ rgb: UInt32 = 3, swapped: Bool = false,
            _ steps: [MarkIcon.Step]? = [.move(x: 1, y: 2), .line(x: 3, y: 4), .close]
        ) -> KindStyle {
            let looks = [
                KindStyle.Look(kind: kind, rgb: rgb, icon: steps.map { MarkIcon($0) }),
                KindStyle.Look(kind: "b", rgb: rgb),
            ]
            return KindStyle(
                neutral: neutral, further: [2], named: swapped ? looks.reversed() : looks)
        }
        let styles = [
            style(), style(9), style(1, "c"), style(1, "a", 9), style(swapped: true),
            style(1, "a", 3, nil),
            style(1, "a", 3, [.move(x: 1, y: 2), .line(x: 3, y: 5), .close]),
            style(1, "a", 3, [.move(x: 1, y: 2), .move(x: 3, y: 4), .close]),
        ]
        #expect(Set(styles.map(\.fingerprint)).count == styles.count)
        #expect(style().fingerprint == style().fingerprint)
    }

    /// Relative luminance by WCAG 2.
    private static func luminance(_ hex: String) -> Double {
        let rgb = UInt32(hex.dropFirst(), radix: 16) ?? 0
        func linear(_ shift: UInt32) -> Double {
            let value = Double(rgb >> shift & 255) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
    }

    private static func fnv1a(_ text: String) -> UInt8 {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        return UInt8(hash % 6)
    }
}
