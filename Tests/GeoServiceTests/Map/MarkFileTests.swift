import Foundation
import GeoIndex
import TestSupport
import Testing
import TileRender

@testable import GeoService

struct MarkFileTests {
    private static let checkout = Golden.fixtures.deletingLastPathComponent()
    private static let carried = Result {
        try MarkFile(path: checkout.appending(path: MarkFile.name).path(percentEncoded: false))
    }

    private static func read(_ text: String) throws(SettingError) -> MarkFile {
        try MarkFile(Array(text.utf8))
    }

    @Test("the carried file has the demo's kinds, above all, and a dozen kinds of places")
    func carried() throws {
        let style = try Self.carried.get().style
        #expect(style.named.suffix(5).map(\.kind) == KindStyle.standard.named.map(\.kind))
        let places = [
            "cafe", "restaurant", "hotel", "shop", "museum", "station", "park", "hospital",
            "school",
            "bar", "parking", "airport",
        ]
        #expect(Set(places).isSubset(of: style.named.map(\.kind)))
        #expect(style.named.allSatisfy { $0.icon != nil })
        let colors = (0..<UInt8(style.slotCount)).map { style.hexColor(slot: $0) }
        #expect(Set(colors).count == colors.count)
    }

    @Test("kinds without a look, and none, look as they did without the file")
    func unnamed() throws {
        let style = try Self.carried.get().style
        for kind in ["bench", "café", "Cafe", "tree", "", nil] {
            let slot = style.slot(forKind: kind)
            #expect(style.icon(slot: slot) == nil)
            #expect(
                style.hexColor(slot: slot)
                    == KindStyle.standard.hexColor(slot: KindStyle.standard.slot(forKind: kind)))
        }
        for look in KindStyle.standard.named {
            #expect(style.hexColor(slot: style.slot(forKind: look.kind)) == hex(look.rgb))
        }
    }

    private func hex(_ rgb: UInt32) -> String { "#" + String(rgb + 1 << 24, radix: 16).dropFirst() }

    @Test("the page's colours of kinds are those of the file")
    func page() throws {
        let style = try Self.carried.get().style
        let script = try String(
            contentsOf: Self.checkout.appending(path: "web/js/kinds.js"), encoding: .utf8)
        for look in style.named {
            #expect(script.contains("\n  \(look.kind): \"\(hex(look.rgb))\","), "\(look.kind)")
        }
        #expect(script.matches(of: /\n  [a-z]+: "#[0-9a-f]{6}",/).count == style.named.count)
    }

    static let outlines: [(String, [MarkIcon.Step])] = [
        ("M1,2Z", [.move(x: 1, y: 2), .close]),
        (
            " M1 2 3 4\nH5 V.5 Z",
            [
                .move(x: 1, y: 2), .line(x: 3, y: 4), .line(x: 5, y: 4), .line(x: 5, y: 0.5),
                .close,
            ]
        ),
        (
            "M0 13C1 2 3 4 5 6 7 8 9 10 11 12Z",
            [
                .move(x: 0, y: 13), .curve(x1: 1, y1: 2, x2: 3, y2: 4, x: 5, y: 6),
                .curve(x1: 7, y1: 8, x2: 9, y2: 10, x: 11, y: 12), .close,
            ]
        ),
        (
            "M1 1L2 2ZH3Z",
            [
                .move(x: 1, y: 1), .line(x: 2, y: 2), .close, .line(x: 3, y: 1), .close,
            ]
        ),
    ]

    @Test("an outline is what its text says", arguments: outlines)
    func outline(text: String, steps: [MarkIcon.Step]) throws {
        #expect(try IconPath.icon(text).steps == steps)
    }

    @Test(
        "what is no outline is refused",
        arguments: [
            "", " ", "Z", "L1 1Z", "M1Z", "M1 1", "M1 1L2 2", "M1 1l2 2Z", "M1 1L2Z", "M1 1H14Z",
            "M-1 1Z", "M1 1C1 2 3 4 5Z", "M1 1Q1 2 3 4Z", "M1 1A1 1 0 0 0 2 2Z", "M1 1Z5",
            "M1 1e1Z",
            "M1.2.3 4Z", "M1 1Lnan 1Z", "M123456789 1Z", "M1 1\u{e9}Z", "5 5Z",
            "M1 1" + String(repeating: "H1", count: 300) + "Z",
        ])
    func noOutline(text: String) {
        #expect(throws: IconPathError.self) { try IconPath.icon(text) }
    }

    @Test(
        "what is wrong in a file is named",
        arguments: [
            ("[]", "must be an object"), ("{", "JSON"),
            (##"{"further":["#000000"],"kinds":[]}"##, "neutral"),
            (##"{"neutral":"#000000","further":[],"kinds":[]}"##, "further"),
            (##"{"neutral":"#000000","further":["#000000"]}"##, "kinds"),
            (##"{"neutral":"#000000","further":["#000000"],"kinds":[],"kindz":1}"##, "kindz"),
            (##"{"neutral":"red","further":["#000000"],"kinds":[]}"##, "such as #1f65c8"),
            (##"{"neutral":"#00000g","further":["#000000"],"kinds":[]}"##, "such as #1f65c8"),
            (
                ##"{"neutral":"#000000","further":["#eeeeee"],"kinds":[]}"##,
                "further[0] is too light"
            ),
            (kinds(##"{"color":"#000000"}"##), "kinds[0].kind"),
            (kinds(##"{"kind":"","color":"#000000"}"##), "kinds[0].kind"),
            (kinds(##"{"kind":"a"}"##), "kinds[0].color"),
            (kinds(##"{"kind":"a","color":"#000000","icon":null}"##), "kinds[0].icon"),
            (kinds(##"{"kind":"a","color":"#000000","icon":"M1 1L2"}"##), "from 0 to 13"),
            (kinds(##"{"kind":"a","color":"#000000","shape":"x"}"##), "kinds[0].shape"),
            (
                kinds(##"{"kind":"a","color":"#000000"},{"kind":"a","color":"#000000"}"##),
                "kinds[1].kind must not stand there twice"
            ),
            (
                kinds(
                    (0..<40).map { ##"{"kind":"k\##($0)","color":"#000000"}"## }.joined(
                        separator: ",")),
                "at most 40"
            ),
        ])
    func wrong(text: String, says: String) {
        #expect {
            try Self.read(text)
        } throws: { error in
            "\(error)".contains(says)
        }
    }

    private static func kinds(_ list: String) -> String {
        ##"{"neutral":"#000000","further":["#000000"],"kinds":[\##(list)]}"##
    }

    @Test(
        "icons are those that were looked at",
        arguments: ["icons_clusters", "icons_points"], ["", "@2x"])
    func icons(name: String, suffix: String) throws {
        let style = try Self.carried.get().style
        let scale = suffix.isEmpty ? 1 : 2
        let window = PixelWindow(
            zoom: PointLayer.iconZoom, scale: scale, originX: 1 << 20, originY: 1 << 20,
            width: 210 * scale, height: 130 * scale)
        let kinds = style.named.map(\.kind) + ["bench", ""]
        // Side by side, and some on one another.
        let places = kinds.indices.map { index in
            WorldPoint(
                x: UInt32(window.originX + (20 + index % 7 * 27) * scale) << window.pixelShift,
                y: UInt32(window.originY + (20 + index / 7 * 27) * scale) << window.pixelShift)
        }
        let crowd = kinds.indices.map { index in
            WorldPoint(
                x: UInt32(window.originX + (20 + index * 9) * scale) << window.pixelShift,
                y: UInt32(window.originY + (104 + index % 3 * 5) * scale) << window.pixelShift)
        }
        let slots = kinds.map { style.slot(forKind: $0) }
        let image: IndexedImage
        if name == "icons_points" {
            var grid = PointGrid(window: window)
            for (place, slot) in zip(places + crowd, slots + slots) { grid.add(place, slot: slot) }
            image = try PointLayer(style).draw(grid)
        } else {
            let marks = zip(places + crowd, slots + slots).map {
                ClusterMark(place: $0, count: 1, slot: $1)
            }
            image = try ClusterLayer(style).draw(marks, in: window)
        }
        let file = try PNGEncoder().encode(image)
        if Golden.isUpdating { try Golden.store(file, name + suffix) }
        let golden = try #require(Golden.stored(name + suffix), "run once with UPDATE_GOLDENS=1")
        #expect(
            Golden.share(
                of: try DecodedPNG(file), differingFrom: try DecodedPNG(golden), byMoreThan: 8)
                <= 0.01)
    }

    @Test("another look is another tag, of clusters and points, but not of heat")
    func tags() throws {
        var builder = BulkBuilder()
        let place = try LonLat(lon: 13.4, lat: 52.5)
        try builder.add(id: "a", Placement(position: RoundedPosition(place), kind: "cafe"))
        let snapshot = builder.build()
        let plain = try TilePainter()
        let carried = try TilePainter(Self.carried.get().style)
        for style in TileStyle.allCases {
            let request = TileRequest(
                layer: "L", tile: TileID(containing: place, zoom: 16), scale: 1, style: style,
                ramp: .standard, filter: .all)
            let tags = [plain, carried].map {
                $0.drawing(of: request, from: snapshot, scale: .unfitted).hash
            }
            #expect((tags[0] == tags[1]) == (style == .heat))
        }
    }
}
