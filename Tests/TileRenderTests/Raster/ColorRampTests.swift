import Testing

@testable import TileRender

/// What `docs/tiles.md` promises of the palettes.
struct ColorRampTests {
    private func steps(_ ramp: ColorRamp, _ vision: ColorVision = .full) -> [LabColor] {
        ramp.palette.colors.dropFirst().map { LabColor(vision.seen($0)) }
    }

    private func differences(_ colors: [LabColor], apart: Int = 1) -> [Double] {
        zip(colors, colors.dropFirst(apart)).map { $0.difference(from: $1) }
    }

    /// Pairs of L*, a*, b* and their difference.
    static let sharma: [([Double], [Double], Double)] = [
        ([50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425),
        ([50, -1.3802, -84.2814], [50, 0, -82.7485], 1.0000),
        ([50, 0, 0], [50, -1, 2], 2.3669), ([50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792),
        ([50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195), ([50, 2.5, 0], [50, 0, -2.5], 4.3065),
        ([50, 2.5, 0], [73, 25, -18], 27.1492), ([50, 2.5, 0], [56, -27, -3], 31.9030),
        ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ([22.7233, 20.0904, -46.6940], [23.0331, 14.9730, -42.5619], 2.0373),
        ([90.8027, -2.0831, 1.4410], [91.1528, -1.6435, 0.0447], 1.4441),
        ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
    ]

    @Test("differences are those of the published test data", arguments: sharma)
    func published(first: [Double], second: [Double], difference: Double) {
        let (left, right) = (
            LabColor(lightness: first[0], a: first[1], b: first[2]),
            LabColor(lightness: second[0], a: second[1], b: second[2])
        )
        #expect(abs(left.difference(from: right) - difference) < 1e-4)
        #expect(abs(right.difference(from: left) - difference) < 1e-4)
    }

    @Test("each step looks as large as the others, to a sixth", arguments: ColorRamp.all)
    func even(ramp: ColorRamp) throws {
        let found = differences(steps(ramp))
        let (least, most) = (try #require(found.min()), try #require(found.max()))
        #expect(least >= 4)
        #expect(most / least < 7.0 / 6, "\(found)")
    }

    @Test(
        "lightness moves in one direction for everybody, and no two steps look alike",
        arguments: ColorRamp.all, ColorVision.allCases)
    func order(ramp: ColorRamp, vision: ColorVision) throws {
        let colors = steps(ramp, vision)
        let isRising = colors[14].lightness > colors[0].lightness
        for (before, after) in zip(colors, colors.dropFirst()) {
            let step = (after.lightness - before.lightness) * (isRising ? 1 : -1)
            #expect(step >= 2.5)
        }
        #expect(differences(colors).allSatisfy { $0 >= 2.5 }, "\(differences(colors))")
        #expect(differences(colors, apart: 2).allSatisfy { $0 >= 6 })
        for first in colors.indices {
            for second in colors.indices where second > first {
                #expect(colors[first].difference(from: colors[second]) >= 2.5)
            }
        }
    }

    /// The order shows on the map for which a palette is meant, though its first steps let the map
    /// shine through.
    @Test(
        "on the ground that it is for a palette is ordered from the ground on",
        arguments: [
            ("ember", UInt32(0x18_1c22)), ("lagoon", 0x18_1c22), ("meadow", 0xf4_f1ea),
            ("graphite", 0xf4_f1ea),
        ])
    func ground(name: String, rgb: UInt32) throws {
        let ramp = try #require(ColorRamp(named: name))
        let ground = Color(rgb)
        let colors = ([ground] + ramp.palette.colors.dropFirst().map { $0.over(ground) })
            .map { LabColor($0).lightness }
        let isRising = colors[15] > colors[0]
        for (before, after) in zip(colors, colors.dropFirst()) {
            #expect(isRising ? after > before : after < before, "\(colors)")
        }
    }
}
