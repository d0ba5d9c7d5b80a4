import GeoIndex
import JSONText

/// A ring of a polygon: is a place inside, or on an edge?
///
/// An edge is straight in longitude and latitude, and goes the shorter way round the globe, so
/// that a ring may cross the antimeridian. Inside is where a ray to the east crosses an odd number
/// of edges. All in whole units of 1e-7°, exactly: a place on an edge is in.
struct WhereRing: Hashable, Sendable {
    /// Vertices; the last is joined to the first. Longitudes run on past ±180°.
    private let lons: [Int64]
    private let lats: [Int64]
    private let west: Int64
    private let east: Int64

    /// How many vertices one ring of a query may have.
    static let vertexLimit = 1_000
    private static let worldE7: Int64 = 3_600_000_000

    /// A ring of at least three vertices, closed or not.
    init(_ vertices: [RoundedPosition]) {
        var lons: [Int64] = []
        lons.reserveCapacity(vertices.count)
        for vertex in vertices {
            let lon = Int64(vertex.lonE7)
            guard let last = lons.last else {
                lons.append(lon)
                continue
            }
            var step = (lon - last) % WhereRing.worldE7
            if step > WhereRing.worldE7 / 2 { step -= WhereRing.worldE7 }
            if step < -WhereRing.worldE7 / 2 { step += WhereRing.worldE7 }
            lons.append(last + step)
        }
        self.lons = lons
        lats = vertices.map { Int64($0.latE7) }
        west = lons.min() ?? 0
        east = lons.max() ?? 0
    }

    /// The ring's box in units of 1e-7°; its east may lie beyond 180°.
    var bounds: (west: Int64, south: Int64, east: Int64, north: Int64) {
        (west, lats.min() ?? 0, east, lats.max() ?? 0)
    }

    /// Whether a place is inside or on an edge. O(vertices).
    func contains(_ place: RoundedPosition) -> Bool {
        let lat = Int64(place.latE7)
        var lon = Int64(place.lonE7)
        // The first copy of the place that is not west of the ring.
        let turns = (west - lon) / WhereRing.worldE7
        lon += turns * WhereRing.worldE7
        while lon < west { lon += WhereRing.worldE7 }
        while lon - WhereRing.worldE7 >= west { lon -= WhereRing.worldE7 }
        while lon <= east {
            if containsCopy(lon: lon, lat: lat) { return true }
            lon += WhereRing.worldE7
        }
        return false
    }

    private func containsCopy(lon: Int64, lat: Int64) -> Bool {
        var isInside = false
        var previous = lons.count - 1
        for index in lons.indices {
            let (x1, y1, x2, y2) = (lons[previous], lats[previous], lons[index], lats[index])
            previous = index
            // Differences are below 2^33 a vertex and products below 2^86.
            let cross =
                Int128(x2 - x1) * Int128(lat - y1) - Int128(y2 - y1) * Int128(lon - x1)
            if cross == 0, min(x1, x2) <= lon, lon <= max(x1, x2), min(y1, y2) <= lat,
                lat <= max(y1, y2)
            {
                return true
            }
            guard (y1 > lat) != (y2 > lat) else { continue }
            // The edge crosses the row of the place: to the east of it when the place is left of
            // an edge that goes up, or right of one that goes down.
            if (y2 > y1) == (cross > 0) { isInside.toggle() }
        }
        return isInside
    }

    /// The vertices of a stored polygon, `[latitude, longitude]` each, without the repeated end;
    /// nil when it is none.
    static func vertices(_ coordinates: JSONValue?) -> [RoundedPosition]? {
        guard let pairs = coordinates?.arrayValue, pairs.count >= 3 else { return nil }
        var ring: [RoundedPosition] = []
        for pair in pairs {
            guard let numbers = pair.arrayValue, numbers.count == 2,
                let lat = numbers[0].doubleValue, let lon = numbers[1].doubleValue,
                let position = try? LonLat(lon: lon, lat: lat)
            else { return nil }
            ring.append(RoundedPosition(position))
        }
        if ring.count > 3, ring.first == ring.last { ring.removeLast() }
        return ring
    }
}
