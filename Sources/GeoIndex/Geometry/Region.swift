/// A corner of a region in whole units of 1e-7°. Longitudes may lie beyond ±180°.
public struct RegionCorner: Hashable, Sendable {
    /// Units of 1e-7 degree east.
    var lonE7: Int64
    /// Units of 1e-7 degree north, in ±900 000 000.
    let latE7: Int64

    /// Creates a corner from degrees, rounded to 1e-7°. Its longitude lies in
    /// ``LonLat/queriedLongitudes``.
    ///
    /// - Throws: ``RegionError/position(lon:lat:)``.
    public init(lon: Double, lat: Double) throws(RegionError) {
        guard LonLat.queriedLongitudes.contains(lon), (-90...90).contains(lat) else {
            throw .position(lon: lon, lat: lat)
        }
        lonE7 = Int64((lon * 1e7).rounded())
        latE7 = Int64((lat * 1e7).rounded())
    }
}

/// An area bounded by rings: one or several polygons with holes, edges in.
///
/// Edges run straight on the plane of longitude and latitude, corners are rounded to 1e-7°. An edge
/// that jumps more than 180° goes the short way, over ±180°; one of exactly 360° is the whole
/// parallel. So a polygon across the antimeridian may be written in one piece, with longitudes
/// beyond 180° or turned back to -180°, or cut in two (RFC 7946, 3.1.9).
public struct Region: Hashable, Sendable {
    /// The most corners of one region.
    public static let cornerLimit = 100_000

    /// Polygons whose western edge lies in [-180°, 180°); each may go on beyond 180°. The outer
    /// ring comes first, rings are closed.
    let polygons: [[[RegionCorner]]]

    /// When a search of the region gives up; nil searches to the end.
    public var deadline: SearchDeadline?

    /// Checks rings and brings them into one form.
    ///
    /// - Parameter polygons: Of each polygon the outer ring, then its holes; closed, in either
    ///   direction.
    /// - Throws: ``RegionError``, which says where.
    /// - Complexity: O(n log n) in the corners.
    public init(polygons: [[[RegionCorner]]]) throws(RegionError) {
        let count = polygons.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
        guard count <= Region.cornerLimit else {
            throw .positions(count: count, limit: Region.cornerLimit)
        }
        guard !polygons.isEmpty, polygons.allSatisfy({ !$0.isEmpty }) else { throw .empty }
        var placed: [[[RegionCorner]]] = []
        for (number, rings) in polygons.enumerated() {
            placed.append(try Region.placed(rings, number: number + 1))
        }
        self.polygons = placed
        try GEOSRegion.check(placed)
    }

    /// A hash of the region, the same for ever: of the corners of its rings, in their order.
    public var fingerprint: UInt64 {
        var hash = StableHash()
        for rings in polygons {
            hash.combine(UInt64(rings.count))
            for ring in rings {
                hash.combine(UInt64(ring.count))
                for corner in ring {
                    hash.combine(UInt64(bitPattern: corner.lonE7))
                    hash.combine(UInt64(bitPattern: corner.latE7))
                }
            }
        }
        return hash.value
    }

    /// A box that holds the region; one with parts on both sides of ±180° is the whole belt.
    var box: PositionBox {
        let corners = polygons.lazy.flatMap { $0[0] }
        var box = (west: Int64.max, south: Int64.max, east: Int64.min, north: Int64.min)
        for corner in corners {
            box.west = min(box.west, corner.lonE7)
            box.east = max(box.east, corner.lonE7)
            box.south = min(box.south, corner.latE7)
            box.north = max(box.north, corner.latE7)
        }
        let isBelt = box.east - box.west >= Region.turn
        let turned = box.east > Region.turn / 2 ? box.east - Region.turn : box.east
        // West lies in the frame, latitudes in ±90°, both by creation.
        return PositionBox(
            west: isBelt ? -1_800_000_000 : Int32(box.west), south: Int32(box.south),
            east: isBelt ? 1_800_000_000 : Int32(turned), north: Int32(box.north))
    }

    // MARK: - Unwrapping

    private static let turn = RoundedPosition.turnE7

    private static func placed(
        _ rings: [[RegionCorner]], number: Int
    ) throws(RegionError) -> [[RegionCorner]] {
        var result: [[RegionCorner]] = []
        var frame: Int64 = -1_800_000_000
        for (index, ring) in rings.enumerated() {
            let unwrapped = try unwrapped(ring, polygon: number, ring: index + 1)
            let west = width(of: unwrapped).west
            // The first turn of the ring that does not start west of the frame.
            let turns = (frame - west + turn - 1).flooredQuotient(by: turn)
            let moved = unwrapped.map { corner in
                var corner = corner
                corner.lonE7 += turns * turn
                return corner
            }
            // Holes lie in the frame that the outer ring begins.
            if index == 0 { frame = west + turns * turn }
            result.append(moved)
        }
        return result
    }

    /// A ring as a line without jumps.
    private static func unwrapped(
        _ ring: [RegionCorner], polygon: Int, ring number: Int
    ) throws(RegionError) -> [RegionCorner] {
        guard ring.count >= 4, let first = ring.first, let last = ring.last else {
            throw .short(polygon: polygon, ring: number)
        }
        guard first.latE7 == last.latE7, (first.lonE7 - last.lonE7) % turn == 0 else {
            throw .open(polygon: polygon, ring: number)
        }
        var result = [first]
        result.reserveCapacity(ring.count)
        var lonE7 = first.lonE7
        for (before, corner) in zip(ring, ring.dropFirst()) {
            var step = corner.lonE7 - before.lonE7
            if abs(step) != turn {
                step %= turn
                if step > turn / 2 { step -= turn }
                if step < -turn / 2 { step += turn }
            }
            lonE7 += step
            var moved = corner
            moved.lonE7 = lonE7
            result.append(moved)
        }
        guard lonE7 == first.lonE7 else { throw .aroundPole(polygon: polygon, ring: number) }
        let (west, east) = width(of: result)
        guard east - west <= turn else { throw .wide(polygon: polygon, ring: number) }
        return result
    }

    private static func width(of ring: [RegionCorner]) -> (west: Int64, east: Int64) {
        ring.reduce(into: (west: .max, east: .min)) { edges, corner in
            edges.west = min(edges.west, corner.lonE7)
            edges.east = max(edges.east, corner.lonE7)
        }
    }
}

extension Int64 {
    /// The quotient rounded down, for a positive divisor.
    fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
