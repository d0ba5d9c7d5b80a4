import GeoIndex
import GeoStore
import JSONText

/// The list of layers and the description of each.
struct CollectionRoutes: Sendable {
    let catalog: LayerCatalog

    func register(in router: inout Router) {
        router.add(.get, "/v1/collections") { request in
            _ = try MapQuery(request, own: [], isFiltered: false)
            var json = JSONWriter()
            json.beginObject()
            json.key("collections")
            json.beginArray()
            for layer in catalog.all { describe(layer, base: request.baseURL, to: &json) }
            json.endArray()
            json.key("links")
            json.value([
                link("self", "application/json", "\(request.baseURL)/v1/collections")
            ])
            json.endObject()
            return .reply(.tagged(.json, json.bytes))
        }
        router.add(.get, "/v1/collections/{layer}") { request in
            _ = try MapQuery(request, own: [], isFiltered: false)
            var json = JSONWriter()
            describe(try catalog.layer(for: request), base: request.baseURL, to: &json)
            return .reply(.tagged(.json, json.bytes))
        }
    }

    private func describe(_ layer: Layer, base: String, to json: inout JSONWriter) {
        let snapshot = layer.current
        json.beginObject()
        json.key("id")
        json.string(layer.name)
        json.key("title")
        json.string(layer.name)
        json.key("itemType")
        json.string("feature")
        json.key("count")
        json.integer(Int64(snapshot.count))
        json.key("extent")
        json.beginObject()
        json.key("spatial")
        json.value(["bbox": .array(snapshot.extent.map { [$0.json] } ?? [])])
        if let times = snapshot.timeRange {
            json.key("temporal")
            json.value([
                "interval": [
                    [
                        .string(Timestamp(milliseconds: times.lowerBound).description),
                        .string(Timestamp(milliseconds: times.upperBound).description),
                    ]
                ]
            ])
        }
        json.endObject()
        json.key("kinds")
        FeatureWriter.kinds(snapshot.kindCounts, to: &json)
        json.key("links")
        json.value([
            link("self", "application/json", "\(base)/v1/collections/\(layer.name)"),
            link("tiles", "application/json", "\(base)/tiles/\(layer.name).json"),
        ])
        json.endObject()
    }

    private func link(_ relation: String, _ type: String, _ address: String) -> JSONValue {
        ["rel": .string(relation), "type": .string(type), "href": .string(address)]
    }
}
