/// The colour of each kind of object: a slot in a fixed table, chosen by the kind's name alone.
///
/// The five kinds that the service knows by name have a slot of their own, every other name has
/// always the same one of six further slots, and no kind has the neutral one. Where objects
/// share a pixel the highest slot shows, which is why the named kinds come last.
///
///     KindStyle.hexColor(slot: KindStyle.slot(forKind: "event"))  // "#d63d1f"
public enum KindStyle {
    /// The slot of objects without a kind.
    public static let neutralSlot: UInt8 = 0

    /// The kinds with a slot of their own, by ascending slot.
    public static let namedKinds = ["track", "photo", "trade", "event", "marker"]

    /// How many slots there are.
    public static let slotCount = rgb.count

    /// Fill colours by slot, dark enough for white digits (contrast at least 4 to 1).
    static let rgb: [UInt32] = [
        0x5f_6b78,  // neutral
        0x0b_7a86, 0xb8_2e78, 0x66_7414, 0x86_5140, 0x4a_4fb8, 0x45_6a8f,  // further names
        0xa8_6a00,  // track
        0x8b_3fc7,  // photo
        0x17_8048,  // trade
        0xd6_3d1f,  // event
        0x1f_65c8,  // marker
    ]

    /// The slot of a kind. O(length of the name).
    public static func slot(forKind kind: String?) -> UInt8 {
        guard let kind, !kind.isEmpty else { return neutralSlot }
        let further = rgb.count - namedKinds.count - 1
        if let named = namedKinds.firstIndex(of: kind) { return UInt8(1 + further + named) }
        return UInt8(1 + fnv1a(kind) % UInt64(further))
    }

    /// The fill colour of a slot as style sheets write it.
    ///
    /// - Precondition: the slot exists.
    public static func hexColor(slot: UInt8) -> String {
        precondition(Int(slot) < rgb.count, "there is no slot \(slot)")
        return Color(rgb[Int(slot)]).hex
    }

    /// FNV-1a, 64 bits: the same on every machine and in every run, unlike `Hasher`.
    /// Source: draft-eastlake-fnv.
    private static func fnv1a(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension Color {
    /// The colour without its alpha as style sheets write it: `#rrggbb`.
    var hex: String {
        let digits = String(argb & 0xff_ffff, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
