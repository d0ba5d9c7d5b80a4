import GeoIndex
import GeoStore
import JSONText

/// Who may pin hotspots: signed-in users and the master key. The one place that decides it.
struct PinAccess: Sendable {
    let master: MasterAccess

    /// Lets through who may pin.
    ///
    /// - Throws: ``Problem``: 401 without the right keys, 403 from another address.
    func require(_ request: Request, _ viewer: Viewer) throws(Problem) {
        // A token of an address changes nothing.
        if !viewer.isAnonymous && !viewer.isByMapToken { return }
        guard master.judge(request) != .noKey else {
            throw Problem(
                .unauthorized,
                "pinning is for signed-in users, by the header X-Parse-Session-Token; else it needs "
                    + "the headers X-Parse-Application-Id and X-Parse-Master-Key")
        }
        try master.require(request)
    }
}

/// Hotspots that were pinned: objects of one class, which others rate and comment on by pointing at
/// them. Everybody reads them; only the master key changes them, so that nobody rewrites what was
/// found.
enum HotspotPins {
    /// The class of pinned hotspots, as the map API names it.
    static let className = "Hotspot"

    /// The id of a hotspot's object: the same for the same hotspot of a layer, so that two who pin
    /// it at once pin one. Layers' names have no hyphen; of one that is too long there is a hash.
    static func objectId(_ id: HotspotID, of layer: String) -> String {
        let readable = "\(layer)-\(id.number)"
        if ObjectID.isValid(readable) { return readable }
        var hash = StableHash()
        hash.combine(bytes: layer.utf8)
        return "-\(String(hash.value, radix: 16))-\(id.number)"
    }

    /// The ids of the objects of hotspots, nil where one is not pinned. Blocks.
    static func pins(
        of hotspots: [HotspotID], of layer: String, to viewer: Viewer,
        _ objects: ObjectReader
    ) throws -> [String?] {
        let ids = hotspots.map { objectId($0, of: layer) }
        return try objects.shown(className, ids: ids, to: viewer, omitting: []).objects.map {
            $0?.objectId
        }
    }

    /// Pins a hotspot unless it is pinned.
    ///
    /// - Returns: The object, and whether it is new.
    static func pin(
        _ listed: ListedHotspot, of layer: String, in store: SQLiteStore
    ) throws -> (document: Document, isNew: Bool) {
        let id = objectId(listed.hotspot.id, of: layer)
        let fields = try fields(of: listed, layer: layer)
        return try store.write { transaction in
            // Jobs of the store run one after the other: nobody pins it in between.
            if let known = try transaction.object(className, id) { return (known, false) }
            let document = Document(
                className: className, objectId: id, createdAt: .now(),
                acl: AccessList(everybody: .read), fields: fields)
            try transaction.insert(document)
            return (document, true)
        }
    }

    private static func fields(
        of listed: ListedHotspot, layer: String
    ) throws(CoordinateError) -> JSONObject {
        let point = listed.hotspot.point
        let place = try LonLat(lon: point.middleLon, lat: point.middleLat)
        return [
            "location": GeoPointField.json(place),
            "layer": .string(layer),
            "hotspot": .integer(Int64(listed.hotspot.id.number)),
            "zoom": .integer(Int64(listed.hotspot.id.zoom)),
            "score": .number(listed.hotspot.score),
            "count": .integer(Int64(listed.count)),
            "radius": .number(listed.radiusMeters),
        ]
    }
}
