import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing
import TileRender

@testable import GeoService

/// Vector tiles of all tiles of a zoom against the clusters of the whole world.
struct VectorTilePainterTests {
    /// A layer with clumps, with pairs across ±180°, and with objects at the poles' edges.
    private func snapshot(seed: UInt64, count: Int = 400) throws -> IndexSnapshot {
        var random = SeededGenerator(seed: seed)
        var builder = BulkBuilder(expected: count)
        for number in 0..<count {
            let clump = Double(number % 7)
            var lon = clump * 50 - 179.9 + Double.random(in: -0.2...0.2, using: &random)
            var lat = clump * 20 - 60 + Double.random(in: -0.2...0.2, using: &random)
            if number % 11 == 0 { lon = Double.random(in: -180...180, using: &random) }
            if number % 17 == 0 { lat = number % 2 == 0 ? 89 : -89 }
            if lon < -180 { lon += 360 }
            try builder.add(
                id: "o\(number)",
                Placement(
                    position: RoundedPosition(try LonLat(lon: lon, lat: lat)),
                    kind: number % 3 == 0 ? nil : "kind \"\(number % 3)\"", weight: 1,
                    time: Int64(number), content: UInt64(number)))
        }
        return builder.build()
    }

    /// A feature of a zoom: its number and its place on the grid of the zoom.
    private struct Place: Hashable {
        let id: UInt64
        let x: Int
        let y: Int
    }

    @Test(
        "the tiles of a zoom own each cluster of the world once, and copies are those of neighbours",
        arguments: 0...4, [UInt64(1), 2])
    func conservation(zoom: Int, seed: UInt64) throws {
        let snapshot = try snapshot(seed: seed)
        let painter = VectorTilePainter(layer: "City")
        let side = 1 << zoom
        let world = snapshot.clusters(in: .world, options: try ClusterOptions(zoom: zoom))
        var owned: [Place: [String: VectorTileValue]] = [:]
        var copies: [(Place, [String: VectorTileValue])] = []
        for x in 0..<side {
            for y in 0..<side {
                let tile = try TileID(zoom: zoom, x: x, y: y)
                guard let bytes = try painter.tile(tile, from: snapshot) else { continue }
                #expect(try painter.tile(tile, from: snapshot) == bytes)
                let decoded = try DecodedVectorTile(bytes)
                #expect(decoded.name == "City" && decoded.extent == 4096)
                #expect(Set(decoded.values).count == decoded.values.count)
                for feature in decoded.features {
                    let column = (x * 4096 + feature.x + side * 4096) % (side * 4096)
                    let place = Place(id: feature.id, x: column, y: y * 4096 + feature.y)
                    if (0..<4096).contains(feature.x) && (0..<4096).contains(feature.y) {
                        #expect(owned.updateValue(feature.properties, forKey: place) == nil)
                    } else {
                        copies.append((place, feature.properties))
                    }
                }
            }
        }
        #expect(owned.count == world.count)
        #expect(!copies.isEmpty)
        for (place, properties) in copies { #expect(owned[place] == properties) }
        var total: UInt64 = 0
        for index in 0..<world.count {
            let point = world.points[index]
            let shift = UInt64(20 - zoom)
            let details = snapshot.details(of: index, in: world)
            let isSingle = world.counts[index] == 1
            let id =
                isSingle ? VectorFeatures.number(ofSingle: details.sample.id) : world.ids[index]
            let place = Place(
                id: id, x: Int(UInt64(point.x) >> shift), y: Int(UInt64(point.y) >> shift))
            let properties = try #require(owned[place])
            if isSingle {
                #expect(properties == ["objectId": .text(details.sample.id)])
                total += 1
                continue
            }
            total += UInt64(world.counts[index])
            let kinds = JSONValue.object(
                JSONObject(details.kinds.map { ($0.kind, .integer(Int64($0.count))) }))
            #expect(
                properties == [
                    "cluster": .flag(true), "cluster_id": .unsigned(world.ids[index]),
                    "point_count": .unsigned(UInt64(world.counts[index])),
                    "point_count_abbreviated": .text(CountLabel.abbreviated(world.counts[index])),
                    "bbox": .text(text(details.bounds.json)), "kinds": .text(text(kinds)),
                ])
        }
        #expect(total == UInt64(snapshot.count))
    }

    private func text(_ json: JSONValue) -> String {
        String(decoding: JSONWriter.encode(json), as: UTF8.self)
    }

    @Test("filters leave out what they leave out of clusters")
    func filters() throws {
        let snapshot = try snapshot(seed: 3)
        let painter = VectorTilePainter(layer: "City")
        let tile = try TileID(zoom: 0, x: 0, y: 0)
        for filter in [
            EntryFilter(kinds: ["kind \"1\""]), EntryFilter(since: 100), EntryFilter(until: 50),
            EntryFilter(since: 10, until: 11), EntryFilter(kinds: ["none"]),
        ] {
            let bytes = try painter.tile(tile, from: snapshot, filter: filter)
            let features = try bytes.map { try DecodedVectorTile($0).features } ?? []
            let counts = features.filter { (0..<4096).contains($0.x) }.map { feature -> UInt64 in
                guard case .unsigned(let count)? = feature.properties["point_count"] else {
                    return 1
                }
                return count
            }
            let expected = snapshot.sum(over: [0...UInt64.max], filter: filter).count
            #expect(counts.reduce(0, +) == UInt64(expected), "\(filter)")
            #expect((bytes == nil) == (expected == 0))
        }
    }

    @Test("no single has a cluster's number", arguments: 0..<22)
    func numbers(zoom: Int) throws {
        for radius in [10, 12, 23, 40, 100] {
            guard let options = try? ClusterOptions(zoom: zoom, radiusPixels: radius) else {
                continue
            }
            let first = UInt64(1) << (2 * UInt64(options.level))
            #expect(2 * first <= 1 << 51 || first >= 1 << 52)
        }
        for id in ["a", "zz\(zoom)", String(repeating: "x", count: 60)] {
            let number = VectorFeatures.number(ofSingle: id)
            #expect((1 << 51..<1 << 52).contains(number))
        }
    }

    @Test("an edge of a box has the digits that JSON has", arguments: UInt64(0)..<8)
    func edges(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let some: [Int64] = [0, 1, -1, 10, -1_800_000_000, 1_800_000_000, 134_050_000, -9_999_999]
        for value in some
            + (0..<200).map({ _ in .random(in: -1_800_000_000...1_800_000_000, using: &random) })
        {
            var (ours, theirs): ([UInt8], [UInt8]) = ([], [])
            VectorFeatures.append(e7: value, to: &ours)
            JSONWriter.append(Double(value) / 1e7, to: &theirs)
            // The least edges would have an exponent there.
            if value.magnitude > 1_000 { #expect(ours == theirs) }
            #expect(Double(String(decoding: ours, as: UTF8.self)) == Double(value) / 1e7)
        }
    }

    @Test("fields become scalars, what is nested its JSON, ascending by name")
    func properties() throws {
        let document = Document(
            className: "City", objectId: "o1", createdAt: Timestamp(milliseconds: 0),
            fields: [
                "whole": 12, "negative": -7, "real": 0.25, "great": 1e300,
                "long": .integer(.max), "text": "a \"quoted\"\n line", "plain": "Grüße",
                "yes": true,
                "no": false, "nothing": nil, "list": [1, [nil, "b"]], "object": ["a": ["b": 1]],
                "A": "upper case first", "empty": "",
                "location": ["__type": "GeoPoint", "latitude": 0, "longitude": 0],
            ])
        var shown = ShownObjects(count: 1)
        try shown.set(0, to: document, omitting: [])
        var builder = BulkBuilder(expected: 1)
        try builder.add(
            id: "o1", Placement(position: RoundedPosition(try LonLat(lon: 0, lat: 0))))
        let bytes = try VectorTilePainter(layer: "City").tile(
            try TileID(zoom: 3, x: 4, y: 4), from: builder.build(), objects: { _ in shown })
        let tile = try DecodedVectorTile(try #require(bytes))
        let feature = try #require(tile.features.first)
        #expect(
            feature.properties == [
                "objectId": .text("o1"), "createdAt": .text("1970-01-01T00:00:00.000Z"),
                "whole": .unsigned(12), "negative": .signed(-7), "real": .double(0.25),
                "great": .double(1e300), "long": .unsigned(UInt64(Int64.max)),
                "text": .text("a \"quoted\"\n line"), "plain": .text("Grüße"), "yes": .flag(true),
                "no": .flag(false), "list": .text("[1,[null,\"b\"]]"),
                "object": .text("{\"a\":{\"b\":1}}"), "A": .text("upper case first"),
                "empty": .text(""),
            ])
        #expect(Array(tile.keys.dropFirst(2)) == tile.keys.dropFirst(2).sorted())
    }
}
