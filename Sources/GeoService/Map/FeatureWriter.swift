import GeoIndex
import GeoStore
import JSONText
import TileRender

/// Writes GeoJSON features of objects and clusters (RFC 7946).
enum FeatureWriter {
    /// The opening of a FeatureCollection, up to its features.
    static func begin(_ json: inout JSONWriter) {
        json.beginObject()
        json.key("type")
        json.string("FeatureCollection")
        json.key("features")
        json.beginArray()
    }

    /// Properties that every object has, of which no field may be another.
    static let ownNames = ["objectId", "createdAt"]

    /// An object as a feature: its id, its place as it was stored, its readable fields.
    ///
    /// `updatedAt` is not among them: an undone change gives the answer that stood before it.
    ///
    /// - Parameters:
    ///   - all: Where the object is of; read without ``ownNames`` and the names of `extra`.
    ///   - extra: More properties.
    static func object(
        _ object: ShownObjects.Object, of all: ShownObjects,
        extra: [(name: String, value: JSONValue)] = [], to json: inout JSONWriter
    ) {
        json.beginObject()
        json.key("type")
        json.string("Feature")
        json.key("id")
        json.string(object.objectId)
        json.key("geometry")
        if let position = object.position {
            point(lon: position.lon, lat: position.lat, to: &json)
        } else {
            json.null()
        }
        json.key("properties")
        json.beginObject()
        json.key("objectId")
        json.string(object.objectId)
        json.key("createdAt")
        json.string(object.createdAt.description)
        all.withFields(of: object) { json.members($0) }
        for member in extra {
            json.key(member.name)
            json.value(member.value)
        }
        json.endObject()
        json.endObject()
    }

    /// A cluster as a feature.
    ///
    /// - Parameter aggregates: What its members' values sum up to, in units of ``FixedPoint``.
    static func cluster(
        id: UInt64, at point: WorldPoint, count: Int, _ details: ClusterDetails,
        aggregates: [AggregateValue], to json: inout JSONWriter
    ) {
        json.beginObject()
        json.key("type")
        json.string("Feature")
        json.key("id")
        json.integer(Int64(clamping: id))
        json.key("geometry")
        // The middle of the unit: whoever projects it again gets the same unit.
        FeatureWriter.point(lon: point.middleLon, lat: point.middleLat, to: &json)
        json.key("properties")
        json.beginObject()
        json.key("cluster")
        json.bool(true)
        json.key("cluster_id")
        json.integer(Int64(clamping: id))
        json.key("point_count")
        json.integer(Int64(count))
        json.key("point_count_abbreviated")
        json.string(CountLabel.abbreviated(count))
        json.key("bbox")
        json.value(details.bounds.json)
        json.key("kinds")
        kinds(details.kinds, to: &json)
        for aggregate in aggregates {
            json.key(aggregate.name)
            json.encoded(Array(FixedDecimal.text(units: aggregate.units).utf8))
        }
        json.endObject()
        json.endObject()
    }

    /// Kinds with their counts.
    static func kinds(_ kinds: [(kind: String, count: Int)], to json: inout JSONWriter) {
        json.beginObject()
        for (kind, count) in kinds {
            json.key(kind)
            json.integer(Int64(count))
        }
        json.endObject()
    }

    static func point(lon: Double, lat: Double, to json: inout JSONWriter) {
        json.beginObject()
        json.key("type")
        json.string("Point")
        json.key("coordinates")
        json.beginArray()
        json.number(lon)
        json.number(lat)
        json.endArray()
        json.endObject()
    }
}
