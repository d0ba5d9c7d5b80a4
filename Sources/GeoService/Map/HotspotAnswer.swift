import GeoIndex
import Glibc
import JSONText

/// A hotspot with what is listed of it.
struct ListedHotspot: Sendable {
    let hotspot: Hotspot
    let count: Int
    let kinds: [(kind: String, count: Int)]
    /// How many there were in the window before; nil without a window.
    let countBefore: Int?
    /// The radius of the kernel on the ground there, in metres.
    let radiusMeters: Double

    /// The change against the window before: 0.5 is half as many more, -1 is all gone; nil without
    /// a window. Against nothing the count itself.
    var trend: Double? {
        countBefore.map { before in
            (Double(count - before) / Double(max(before, 1)) * 10_000).rounded() / 10_000
        }
    }

    /// The kernel's radius on the ground at a point: a pixel of the Mercator plane shrinks with the
    /// cosine of the latitude. Rounded to centimetres.
    static func radiusMeters(at point: WorldPoint, _ query: HotspotQuery) -> Double {
        let worldPixels = Double(256 << Int(query.zoom))
        let circumference = 2 * Double.pi * SphericalGeodesy.earthRadiusMeters
        let pixel = circumference / worldPixels * cos(point.middleLat * .pi / 180)
        return (Double(query.options.radiusPixels) * pixel * 100).rounded() / 100
    }
}

extension FeatureWriter {
    /// A hotspot as a feature.
    ///
    /// - Parameter pin: The id of its object, when it is pinned.
    static func hotspot(_ listed: ListedHotspot, pin: String?, to json: inout JSONWriter) {
        let hotspot = listed.hotspot
        json.beginObject()
        json.key("type")
        json.string("Feature")
        json.key("id")
        json.integer(Int64(hotspot.id.number))
        json.key("geometry")
        point(lon: hotspot.point.middleLon, lat: hotspot.point.middleLat, to: &json)
        json.key("properties")
        json.beginObject()
        json.key("score")
        json.number(hotspot.score)
        json.key("count")
        json.integer(Int64(listed.count))
        json.key("radius")
        json.number(listed.radiusMeters)
        json.key("kinds")
        kinds(listed.kinds, to: &json)
        json.key("trend")
        if let trend = listed.trend { json.number(trend) } else { json.null() }
        if let pin {
            json.key("objectId")
            json.string(pin)
        }
        json.endObject()
        json.endObject()
    }
}
