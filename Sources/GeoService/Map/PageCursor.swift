import GeoIndex
import GeoStore

/// Where a page of objects goes on: after an object, in the order of one question.
///
/// Clients pass it back unchanged. It holds the object's keys in the order, its id and, where
/// objects come by distance, the place it had, so that the object itself may be gone when the next
/// page is asked for; and a hash of the keys and the question, by which another question's cursor
/// and a damaged one are known.
struct PageCursor: Equatable {
    /// The last object's place, where objects come by distance.
    let position: RoundedPosition?
    /// The last object's id.
    let id: String

    /// Creates the cursor after an object.
    init(position: RoundedPosition? = nil, id: String) {
        self.position = position
        self.id = id
    }

    /// The form in addresses: base64url (RFC 4648, 5) of the hash and the keys.
    func text(of question: UInt64) -> String {
        let keys = Array((position.map { "\($0.lonE7).\($0.latE7).\(id)" } ?? id).utf8)
        return Base64.encodedURL(PageCursor.seal(keys[...], of: question) + keys)
    }

    /// Reads the cursor of a request.
    ///
    /// - Parameter hasPlace: Whether objects come by distance.
    /// - Throws: ``Problem`` (400) when it is none, or another question's.
    init?(_ query: MapQuery, of question: UInt64, hasPlace: Bool) throws(Problem) {
        guard let text = query.text("cursor") else { return nil }
        guard let bytes = Base64.decodedURL(text), bytes.count > PageCursor.sealBytes,
            bytes.prefix(PageCursor.sealBytes).elementsEqual(
                PageCursor.seal(bytes.dropFirst(PageCursor.sealBytes), of: question)),
            let cursor = PageCursor(keys: bytes.dropFirst(PageCursor.sealBytes)),
            (cursor.position != nil) == hasPlace
        else {
            throw .parameter(
                "cursor",
                "must be the next of this question's page before, unchanged: only limit may "
                    + "differ from page to page")
        }
        self = cursor
    }

    private static let sealBytes = 8

    private static func seal(_ keys: ArraySlice<UInt8>, of question: UInt64) -> [UInt8] {
        var hash = StableHash(seed: question)
        hash.combine(bytes: keys)
        return (0..<UInt64(sealBytes)).map {
            UInt8(truncatingIfNeeded: hash.value >> (56 - 8 * $0))
        }
    }

    private init?(keys: ArraySlice<UInt8>) {
        let parts = String(decoding: keys, as: UTF8.self)
            .split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 3 else { return nil }
        let id = String(parts[parts.count - 1])
        guard ObjectID.isValid(id) else { return nil }
        if parts.count == 1 {
            self.init(id: id)
            return
        }
        guard let lonE7 = Int32(parts[0]), let latE7 = Int32(parts[1]),
            abs(Int64(lonE7)) <= 1_800_000_000, abs(Int64(latE7)) <= 900_000_000
        else { return nil }
        self.init(position: RoundedPosition(lonE7: lonE7, latE7: latE7), id: id)
    }
}

extension MapQuery {
    /// Parameters that say how much of an answer is wanted or who asks, not what is asked.
    private static let sizes: Set<String> = ["limit", "cursor", "count", MapTokens.parameter]
    /// Parameters that say where; they have been read, and count by what they mean.
    private static let places: Set<String> = [
        "lon", "lat", "bbox", "center", "radius", "geodesic", "geohash",
    ]

    /// A hash of what is asked: the call, its layer, where, and all other parameters but those of
    /// the page. Where is a place and not a text: `13.40` is `13.4`, and 373.4 is one turn more.
    func question(_ call: String, of layer: String, in area: PagedArea) -> UInt64 {
        var hash = StableHash()
        hash.combine(bytes: call.utf8)
        hash.combine(bytes: layer.utf8)
        area.combine(into: &hash)
        for item in items.sorted(by: { $0.name < $1.name })
        where !MapQuery.sizes.contains(item.name) && !MapQuery.places.contains(item.name) {
            hash.combine(bytes: item.name.utf8)
            hash.combine(bytes: item.value.utf8)
        }
        return hash.value
    }
}

/// Where the objects of a paged answer lie.
enum PagedArea {
    case area(Area)
    /// Outwards from a place, to the end of the world or to a radius.
    case near(RoundedPosition, radius: Distance?, on: EarthModel)

    /// Mixes in what it means.
    fileprivate func combine(into hash: inout StableHash) {
        switch self {
        case .near(let centre, let radius, let model):
            hash.combine(1)
            PagedArea.combine(centre, radius, model, into: &hash)
        case .area(.circle(let centre, let radius, let model)):
            hash.combine(2)
            PagedArea.combine(centre, radius, model, into: &hash)
        case .area(.box(let box)):
            hash.combine(3)
            // On the grid on which places are compared with it.
            for edge in [box.west, box.south, box.east, box.north] {
                hash.combine(UInt64(bitPattern: Int64((edge * 1e7).rounded())))
            }
        case .area(.geohash(let geohash)):
            hash.combine(4)
            hash.combine(bytes: geohash.text.utf8)
        case .area(.region(let region)):
            hash.combine(5)
            hash.combine(region.fingerprint)
        }
    }

    private static func combine(
        _ centre: RoundedPosition, _ radius: Distance?, _ model: EarthModel,
        into hash: inout StableHash
    ) {
        // ±180° is one meridian.
        let lonE7 = centre.lonE7 == 1_800_000_000 ? -centre.lonE7 : centre.lonE7
        hash.combine(UInt64(bitPattern: Int64(lonE7)))
        hash.combine(UInt64(bitPattern: Int64(centre.latE7)))
        // -0 is 0; no radius is below it.
        hash.combine(radius.map { ($0.meters + 0).bitPattern } ?? .max)
        hash.combine(model == .sphere ? 0 : 1)
    }
}
