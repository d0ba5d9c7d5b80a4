import GeoIndex

/// The colour and the icon of each kind of object: a slot in a table, chosen by the kind's name
/// alone.
///
/// Named kinds have a slot of their own, every other name has always the same one of the further
/// slots, which have no icon, and no kind has the neutral one. Where objects share a pixel the
/// highest slot shows: that of the kind named last.
///
///     KindStyle.standard.hexColor(slot: KindStyle.standard.slot(forKind: "event"))  // "#d63d1f"
public struct KindStyle: Hashable, Sendable {
    /// How a kind looks.
    public struct Look: Hashable, Sendable {
        /// The kind.
        public let kind: String
        /// The fill colour, `0xRRGGBB`.
        public let rgb: UInt32
        /// What is drawn on it in white, where there is room.
        public let icon: MarkIcon?

        /// Creates a look.
        public init(kind: String, rgb: UInt32, icon: MarkIcon? = nil) {
            self.kind = kind
            self.rgb = rgb
            self.icon = icon
        }
    }

    /// The slot of objects without a kind.
    public static let neutralSlot: UInt8 = 0
    /// The most slots that a table can have: a slot has three colours, and with four others their
    /// indices must stay below 128 for ``PixelLanes``.
    public static let mostSlots = 41
    /// The least contrast of a colour to the white of digits and icons (WCAG 2, 1.4.11 asks 3).
    public static let leastContrast = 4.0

    /// The looks that stand when nothing else is given: the kinds of the demo, without icons.
    public static let standard = KindStyle(
        neutral: 0x5f_6b78,
        further: [0x0b_7a86, 0xb8_2e78, 0x66_7414, 0x86_5140, 0x4a_4fb8, 0x45_6a8f],
        named: [
            Look(kind: "track", rgb: 0xa8_6a00), Look(kind: "photo", rgb: 0x8b_3fc7),
            Look(kind: "trade", rgb: 0x17_8048), Look(kind: "event", rgb: 0xd6_3d1f),
            Look(kind: "marker", rgb: 0x1f_65c8),
        ])

    /// The named kinds, by ascending slot.
    public let named: [Look]
    /// Fill colours by slot: the neutral one, those of further names, those of named kinds.
    let rgb: [UInt32]
    private let slots: [String: UInt8]

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - neutral: The colour of objects without a kind, `0xRRGGBB`.
    ///   - further: The colours of kinds that are not named.
    ///   - named: Looks of kinds, by ascending slot.
    /// - Precondition: there is a further colour, there are at most ``mostSlots``, and no kind is
    ///   named twice.
    public init(neutral: UInt32, further: [UInt32], named: [Look]) {
        let rgb = [neutral] + further + named.map(\.rgb)
        precondition(!further.isEmpty, "kinds that are not named need a colour")
        precondition(rgb.count <= KindStyle.mostSlots, "\(rgb.count) slots are too many")
        var slots: [String: UInt8] = [:]
        for (index, look) in named.enumerated() {
            let before = slots.updateValue(UInt8(1 + further.count + index), forKey: look.kind)
            precondition(before == nil, "the kind \(look.kind) has two looks")
        }
        self.named = named
        self.rgb = rgb
        self.slots = slots
    }

    /// How many slots there are.
    public var slotCount: Int { rgb.count }

    /// The slot of a kind. O(length of the name).
    public func slot(forKind kind: String?) -> UInt8 {
        guard let kind, !kind.isEmpty else { return KindStyle.neutralSlot }
        if let slot = slots[kind] { return slot }
        let further = rgb.count - named.count - 1
        return UInt8(1 + KindStyle.fnv1a(kind) % UInt64(further))
    }

    /// The icon of a slot; nil for one that has none.
    ///
    /// - Precondition: the slot exists.
    public func icon(slot: UInt8) -> MarkIcon? {
        precondition(Int(slot) < rgb.count, "there is no slot \(slot)")
        let first = rgb.count - named.count
        return Int(slot) < first ? nil : named[Int(slot) - first].icon
    }

    /// The fill colour of a slot as style sheets write it.
    ///
    /// - Precondition: the slot exists.
    public func hexColor(slot: UInt8) -> String {
        precondition(Int(slot) < rgb.count, "there is no slot \(slot)")
        return Color(rgb[Int(slot)]).hex
    }

    /// A hash of all colours and icons: pictures of the same objects are the same when it is.
    public var fingerprint: UInt64 {
        var hash = StableHash()
        for color in rgb { hash.combine(UInt64(color)) }
        for look in named { hash.combine(bytes: look.kind.utf8) }
        for slot in rgb.indices {
            let steps = icon(slot: UInt8(slot))?.steps ?? []
            hash.combine(UInt64(steps.count))
            for step in steps { step.mix(into: &hash) }
        }
        return hash.value
    }

    /// The contrast of a colour to white, 1 to 21, by WCAG 2.
    public static func contrast(toWhite rgb: UInt32) -> Double {
        1.05 / (LabColor.luminance(Color(rgb)) + 0.05)
    }

    /// FNV-1a, 64 bits: the same on every machine and in every run, unlike `Hasher`.
    /// Source: draft-eastlake-fnv.
    private static func fnv1a(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension MarkIcon.Step {
    fileprivate func mix(into hash: inout StableHash) {
        let numbers: [Double] =
            switch self {
            case .move(let x, let y): [1, x, y]
            case .line(let x, let y): [2, x, y]
            case .curve(let x1, let y1, let x2, let y2, let x, let y): [3, x1, y1, x2, y2, x, y]
            case .close: [4]
            }
        for number in numbers { hash.combine(number.bitPattern) }
    }
}

extension Color {
    /// The colour without its alpha as style sheets write it: `#rrggbb`.
    var hex: String {
        let digits = String(argb & 0xff_ffff, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
