/// Fifteen colours from thin to dense, above nothing at all; by name.
///
/// Each colour looks as different from the one before as all others do (CIEDE2000), and lightness
/// (CIE L*) moves in one direction, so that the order can be read without telling hues apart: by
/// colour-blind people, and in grey. The first steps let the map shine through.
public struct ColorRamp: Hashable, Sendable {
    /// How many colours there are above clear.
    public static let stepCount = 15

    /// The name in requests.
    public let name: String
    /// The colours, thin to dense, behind the clear one.
    package let palette: Palette

    /// The ramp that is used when none is named.
    public static let standard = ember

    /// All ramps, the standard one first.
    public static let all = [ember, lagoon, meadow, graphite]

    /// The ramp of a name; `nil` when there is none.
    public init?(named name: String) {
        guard let found = ColorRamp.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Violet through red and orange to pale yellow: dark to light.
    public static let ember = ColorRamp(
        name: "ember", anchors: [0x45_1a78, 0x8c_2080, 0xcf_3a58, 0xf2_7a2c, 0xfb_bc3c, 0xfc_f7b0])
    /// Night blue through teal to pale yellow: dark to light, without red.
    public static let lagoon = ColorRamp(
        name: "lagoon", anchors: [0x30_2a78, 0x1f_5f9c, 0x12_8c98, 0x38_b585, 0x9a_d860, 0xf6_f08c])
    /// Pale straw through orange to deep blue: light to dark, for light maps.
    public static let meadow = ColorRamp(
        name: "meadow", anchors: [0xfb_e8a6, 0xf6_b86a, 0xe5_7f5e, 0xb6_4f72, 0x72_347a, 0x2b_1d5c])
    /// Grey to black: for print.
    public static let graphite = ColorRamp(
        name: "graphite", anchors: [0xd8_d8dc, 0x80_8088, 0x18_181c])

    /// Spreads steps evenly over straight lines in CIE L*a*b* between anchors.
    private init(name: String, anchors: [UInt32]) {
        self.name = name
        let steps = LabColor.evenly(
            ColorRamp.stepCount, along: anchors.map { LabColor(Color($0)) })
        palette = Palette(zip(steps, ColorRamp.alphas).map { $0.color(alpha: $1) })
    }

    /// Fades in over the first steps; opaque from the eighth on.
    private static let alphas: [UInt8] =
        [45, 90, 130, 165, 195, 220, 240] + [UInt8](repeating: 255, count: ColorRamp.stepCount - 7)
}
