import GeoIndex
import GeoStore
import JSONText
import TileRender

/// What an archive says about itself: the layer's words, its box and zooms, and of vector tiles the
/// properties of their features.
struct ArchiveDescription: Sendable {
    let facts: ArchiveFacts
    private let layer: String
    private let settings: LayerSettings
    /// Properties and their types in TileJSON's words: Number, String or Boolean.
    private let properties: [(name: String, type: String)]
    private let pixels: Int

    /// - Parameters:
    ///   - extent: The box of all that is shown.
    ///   - properties: What features have, as the TileJSON of the layer names it.
    init(
        _ layer: Layer, _ order: ArchiveOrder, extent: BoundingBox?,
        properties named: [String: String]
    ) {
        self.layer = layer.name
        settings = layer.settings
        facts = ArchiveFacts(
            type: order.type, zooms: order.zooms,
            bounds: ArchiveDescription.mercator(order.box ?? extent ?? .world),
            centerZoom: order.zooms.lowerBound)
        switch order.tiles {
        case .vector:
            pixels = 256
            properties = named.sorted { $0.key < $1.key }
                // The words that MBTiles has: texts of JSON are texts.
                .map { ($0.key, $0.value.hasPrefix("String") ? "String" : $0.value) }
        case .raster(_, _, let scale, _):
            pixels = 256 * scale
            properties = []
        }
    }

    /// A box without what Web Mercator cannot show.
    private static func mercator(_ box: BoundingBox) -> BoundingBox {
        let limit = WorldPoint.latitudeLimit
        let clipped = try? BoundingBox(
            west: box.west, south: max(box.south, -limit), east: box.east,
            north: min(box.north, limit))
        return clipped ?? box
    }

    private var title: String { settings.title ?? layer }

    /// The object that a PMTiles archive holds.
    var metadata: [UInt8] {
        var members: JSONObject = ["name": .string(title), "type": "overlay", "version": "1"]
        if let text = settings.description { members["description"] = .string(text) }
        if let text = settings.attribution { members["attribution"] = .string(text) }
        if facts.type == .mvt {
            members["vector_layers"] = vectorLayers
        } else {
            members["tileSize"] = .integer(Int64(pixels))
        }
        return JSONWriter.encode(.object(members))
    }

    private var vectorLayers: JSONValue {
        var fields = JSONObject()
        for (name, type) in properties { fields[name] = .string(type) }
        return .array([
            [
                "id": .string(layer), "fields": .object(fields),
                "minzoom": .integer(Int64(facts.zooms.lowerBound)),
                "maxzoom": .integer(Int64(facts.zooms.upperBound)),
            ]
        ])
    }

    /// The lines of an MBTiles archive's table `metadata`.
    var lines: [(name: String, value: String)] {
        let box = facts.plainBounds
        let center = facts.center
        var lines = [
            ("name", title), ("format", facts.type == .mvt ? "pbf" : "png"),
            (
                "bounds",
                [box.west, box.south, box.east, box.north].map(decimal).joined(separator: ",")
            ),
            ("center", "\(decimal(center.lon)),\(decimal(center.lat)),\(facts.centerZoom)"),
            ("minzoom", "\(facts.zooms.lowerBound)"), ("maxzoom", "\(facts.zooms.upperBound)"),
            ("type", "overlay"), ("version", "1"),
        ]
        if let text = settings.description { lines.append(("description", text)) }
        if let text = settings.attribution { lines.append(("attribution", text)) }
        if facts.type == .mvt {
            let json = JSONWriter.encode(["vector_layers": vectorLayers])
            lines.append(("json", String(decoding: json, as: UTF8.self)))
        }
        return lines
    }

    /// Degrees as whole 1e-7°, as places are.
    private func decimal(_ degrees: Double) -> String {
        var text: [UInt8] = []
        JSONWriter.append((degrees * 1e7).rounded() / 1e7, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
