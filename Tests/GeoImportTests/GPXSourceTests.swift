import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("GPX")
struct GPXSourceTests {
    static let text = """
        <?xml version="1.0"?>
        <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
        <metadata><name>not a place</name></metadata>
        <wpt lat="52.5" lon="13.4"><ele>34.5</ele><time>2013-01-02T02:03:00Z</time>
         <name>Caf&#233; &amp; Bar</name><link href="http://x"><text>t</text></link>
         <type>food</type><extensions><a:b><a:c>7</a:c></a:b></extensions></wpt>
        <wpt lat="91" lon="13.4"><name>off</name></wpt>
        <wpt lat="1"><name>half</name></wpt>
        <rte><name>way</name><rtept lat="0" lon="0"/><rtept lat="0" lon="2"/><rtept lat="0" lon="4"/></rte>
        <trk><name>path</name><number>3</number>
         <trkseg><trkpt lat="1" lon="1"><ele>5</ele></trkpt><trkpt lat="1" lon="2"><ele>6</ele></trkpt></trkseg>
         <trkseg></trkseg>
         <trkseg><trkpt lat="3" lon="3"><ele>7</ele></trkpt><trkpt lat="3" lon="4"><ele>8</ele></trkpt></trkseg>
        </trk>
        <trk><name>empty</name><trkseg/></trk>
        </gpx>

        """

    @Test("waypoints, routes and tracks become objects with their members")
    func members() throws {
        let reading = read(Self.text, as: .gpx)
        #expect(reading.error == nil)
        try #require(reading.rows.count == 4)
        #expect(reading.lines == [4, 9, 10, 15])
        #expect(reading.rows[0].position == (try LonLat(lon: 13.4, lat: 52.5)))
        #expect(
            reading.rows[0].fields == [
                "kind": "waypoint", "ele": 34.5,
                "time": ["__type": "Date", "iso": "2013-01-02T02:03:00.000Z"],
                "name": "Café & Bar", "link": "http://x", "type": "food", "c": "7",
            ])
        #expect(reading.rows[1].position == (try LonLat(lon: 2, lat: 0)))
        #expect(
            reading.rows[1].fields == [
                "kind": "route", "name": "way",
                "geometry": [
                    "type": "LineString", "coordinates": [[0, 0], [2, 0], [4, 0]],
                ],
            ])
        #expect(
            reading.rows[2].fields == [
                "kind": "track", "name": "path", "number": 3,
                "geometry": [
                    "type": "MultiLineString",
                    "coordinates": [[[1, 1, 5], [2, 1, 6]], [[3, 3, 7], [4, 3, 8]]],
                ],
            ])
        #expect(reading.rows[3].position == nil)
        #expect(reading.rows[3].fields == ["kind": "track", "name": "empty"])
        #expect(
            reading.reasons == [
                .outOfRange(column: "lat", lon: 13.4, lat: 91),
                .pointWithoutCoordinates(element: "wpt"),
            ])
    }

    @Test("where the bytes are cut makes no difference")
    func cuts() {
        let whole = read(Self.text, as: .gpx)
        for cuts in [Cuts.every(1), .every(7), .random(seed: 3)] {
            #expect(read(Self.text, as: .gpx, cuts: cuts) == whole)
        }
    }

    @Test("id and kind come from members that are named")
    func options() {
        var options = ImportOptions()
        options.idColumn = "name"
        options.kindColumn = "type"
        let row = read(Self.text, as: .gpx, options: options).rows.first
        #expect(row?.id == FileID.objectID(for: "Café & Bar"))
        #expect(row?.fields["kind"] == "food" && row?.fields["name"] == nil)
    }

    @Test(
        "entities, deep nesting and what is no GPX are refused",
        arguments: [
            "<!DOCTYPE gpx [<!ENTITY a \"b\">]><gpx>&a;</gpx>",
            "<!DOCTYPE gpx SYSTEM \"file:///etc/passwd\"><gpx/>",
            "<kml></kml>", "<gpx><wpt lat=\"1\" lon=\"2\"></gpx>", "<gpx>&unknown;</gpx>",
            "<gpx>" + String(repeating: "<a>", count: 100), "no xml", "<gpx></gpx><gpx/>",
            "<gpx a=\"" + String(repeating: "x", count: 5 << 20),
        ])
    func refused(text: String) {
        for cuts in [Cuts.whole, .every(65536)] {
            guard case .xml? = read(text, as: .gpx, cuts: cuts).error else {
                Issue.record("it was taken: \(text.prefix(60))")
                return
            }
        }
    }

    @Test("nothing is an empty file, and rows before damage are kept")
    func damage() {
        #expect(read("", as: .gpx).error == .empty)
        let cut = read(String(Self.text.prefix(500)), as: .gpx)
        #expect(cut.rows.count == 1)
        guard case .xml? = cut.error else {
            Issue.record("a cut document was taken")
            return
        }
    }

    @Test("a line with a wrong point is one rejection")
    func wrongPoint() {
        let text =
            "<gpx><rte><rtept lat='1' lon='2'/><rtept lat='1'/></rte><trk><trkseg>"
            + "<trkpt lat='91' lon='2'/></trkseg></trk><wpt lat='1' lon='2'/></gpx>"
        let reading = read(text, as: .gpx)
        #expect(
            reading.reasons == [
                .pointWithoutCoordinates(element: "rtept"),
                .outOfRange(column: "lat", lon: 2, lat: 91),
            ])
        #expect(reading.rows.count == 1)
    }

    @Test("a line of too many positions is one rejection")
    func tooMany() {
        let point = "<rtept lat='1' lon='2'/>"
        let text =
            "<gpx><rte>" + String(repeating: point, count: GPXReader.maxPositions + 1)
            + "</rte><wpt lat='1' lon='2'/></gpx>"
        let reading = read(text, as: .gpx, cuts: .every(100_000))
        #expect(reading.reasons == [.tooManyPositions(limit: GPXReader.maxPositions)])
        #expect(reading.rows.count == 1)
    }

    @Test("times are those that there are")
    func times() {
        #expect(GPXTime.date("2024-02-29T23:59:59.1234Z")?["iso"] == "2024-02-29T23:59:59.123Z")
        #expect(GPXTime.date("2013-01-01T12:00:00")?["iso"] == "2013-01-01T12:00:00.000Z")
        for text in [
            "", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-01-01 00:00:00",
            "2023-01-01T24:00:00Z", "2023-01-01T00:00:00+01:00", "2023-01-01T00:00:00.Z",
        ] { #expect(GPXTime.date(text) == nil, "\(text)") }
    }

    @Test(
        "real files have what is counted in them", .enabled(if: realData != nil),
        arguments: [
            ("Mojstrovka", 0, 0, 1), ("gpx1.0_with_all_fields", 2, 2, 2),
            ("gpx1.1_with_all_fields", 2, 2, 2), ("gpx1.1_with_extensions", 1, 0, 0),
            ("korita-zbevnica", 2, 0, 4), ("route", 0, 1, 0), ("track-with-empty-segment", 0, 0, 1),
            ("track-with-extremes", 0, 0, 1), ("unicode", 6, 0, 0), ("unicode_with_bom", 1, 0, 0),
        ])
    func realFiles(name: String, waypoints: Int, routes: Int, tracks: Int) throws {
        let folder = try #require(realData).appendingPathComponent("gpx")
        let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name + ".gpx")))
        let reading = read(bytes, as: .gpx)
        #expect(reading.error == nil)
        let kinds = reading.rows.map { $0.fields["kind"]?.stringValue }
        let counts = ["waypoint", "route", "track"].map { kind in kinds.count { $0 == kind } }
        #expect(counts == [waypoints, routes, tracks], "\(reading.reasons)")
    }
}
