import Glibc
import Testing
import TileRender

struct KindStyleTests {
    @Test("named kinds, the neutral one and others have different slots")
    func slots() {
        let named = KindStyle.namedKinds.map { KindStyle.slot(forKind: $0) }
        #expect(Set(named).count == 5)
        #expect(!named.contains(KindStyle.neutralSlot))
        #expect(KindStyle.slot(forKind: nil) == KindStyle.neutralSlot)
        #expect(KindStyle.slot(forKind: "") == KindStyle.neutralSlot)
        let others = Set((0..<500).map { KindStyle.slot(forKind: "kind \($0)") })
        #expect(others.count == KindStyle.slotCount - 6)
        #expect(others.isDisjoint(with: named + [KindStyle.neutralSlot]))
    }

    @Test("a name keeps its slot from release to release")
    func stable() {
        #expect(KindStyle.slot(forKind: "marker") == 11)
        #expect(KindStyle.slot(forKind: "event") == 10)
        #expect(KindStyle.hexColor(slot: 10) == "#d63d1f")
        #expect(KindStyle.slot(forKind: "café") == KindStyle.slot(forKind: "café"))
        #expect(KindStyle.slot(forKind: "bench") == 1 + KindStyleTests.fnv1a("bench") % 6)
    }

    @Test("colours differ, and white digits on them have a contrast of at least 4 to 1")
    func contrast() {
        let colors = (0..<UInt8(KindStyle.slotCount)).map { KindStyle.hexColor(slot: $0) }
        #expect(Set(colors).count == KindStyle.slotCount)
        for color in colors {
            #expect(1.05 / (KindStyleTests.luminance(color) + 0.05) >= 4, "\(color)")
        }
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
