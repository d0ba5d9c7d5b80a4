import CGEOS

/// A region prepared by GEOS for many questions. Its context belongs to one thread at a time,
/// which is why it is not `Sendable`: each search prepares its own.
///
/// Coordinates are whole units of 1e-7°, which doubles hold exactly, so that GEOS's predicates,
/// which are robust, decide on the very grid that places lie on.
@safe final class GEOSRegion {
    private let context: GEOSContextHandle_t
    private let geometry: OpaquePointer
    private let prepared: OpaquePointer
    private let west: Int64
    private let east: Int64

    /// Prepares a region; nil without memory.
    ///
    /// - Complexity: O(n log n) in the corners.
    init?(_ region: Region) {
        guard let context = unsafe GEOS_init_r() else { return nil }
        guard let geometry = unsafe GEOSRegion.geometry(of: region.polygons, context) else {
            unsafe GEOS_finish_r(context)
            return nil
        }
        guard let prepared = unsafe GEOSPrepare_r(context, geometry) else {
            unsafe GEOSGeom_destroy_r(context, geometry)
            unsafe GEOS_finish_r(context)
            return nil
        }
        unsafe self.context = context
        unsafe self.geometry = geometry
        unsafe self.prepared = prepared
        let columns = region.polygons.lazy.flatMap { $0[0] }.map(\.lonE7)
        west = columns.min() ?? 0
        east = columns.max() ?? 0
    }

    deinit {
        unsafe GEOSPreparedGeom_destroy_r(context, prepared)
        unsafe GEOSGeom_destroy_r(context, geometry)
        unsafe GEOS_finish_r(context)
    }

    /// Whether a place lies in the region, its edge in. ±180° is one meridian.
    ///
    /// - Complexity: O(log n) in the corners.
    func contains(lonE7: Int32, latE7: Int32) -> Bool {
        // The region lies in [-180°, 540°): a place is looked for at each of its longitudes there.
        var lon = Int64(lonE7) - (lonE7 == 1_800_000_000 ? RoundedPosition.turnE7 : 0)
        while lon <= east {
            if lon >= west && covers(lonE7: lon, latE7: Int64(latE7)) { return true }
            lon += RoundedPosition.turnE7
        }
        return false
    }

    /// Where a box of places lies that does not run over ±180° and has no place on 180°.
    ///
    /// - Complexity: O(log n) and what the box's edge meets.
    func relation(west: Int32, south: Int32, east: Int32, north: Int32) -> AreaRelation {
        var relation = AreaRelation.outside
        var turns: Int64 = 0
        while Int64(west) + turns <= self.east {
            if Int64(east) + turns >= self.west {
                switch planeRelation(
                    west: Int64(west) + turns, south: south, east: Int64(east) + turns,
                    north: north)
                {
                case .inside: return .inside
                case .cut: relation = .cut
                case .outside: break
                }
            }
            turns += RoundedPosition.turnE7
        }
        return relation
    }

    private func covers(lonE7: Int64, latE7: Int64) -> Bool {
        guard
            let point = unsafe GEOSGeom_createPointFromXY_r(context, Double(lonE7), Double(latE7))
        else { return false }
        defer { unsafe GEOSGeom_destroy_r(context, point) }
        return unsafe GEOSPreparedIntersects_r(context, prepared, point) == 1
    }

    private func planeRelation(west: Int64, south: Int32, east: Int64, north: Int32) -> AreaRelation
    {
        // A box without area is no polygon: half a unit around it changes no place's answer but
        // may make "inside" "cut", which is safe.
        guard
            let box = unsafe GEOSGeom_createRectangle_r(
                context, Double(west) - 0.25, Double(south) - 0.25, Double(east) + 0.25,
                Double(north) + 0.25)
        else { return .cut }
        defer { unsafe GEOSGeom_destroy_r(context, box) }
        if unsafe GEOSPreparedIntersects_r(context, prepared, box) == 0 { return .outside }
        return unsafe GEOSPreparedCovers_r(context, prepared, box) == 1 ? .inside : .cut
    }
}

// MARK: - Making and checking

extension GEOSRegion {
    /// Refuses polygons that are not valid as the simple features standard means it.
    ///
    /// - Throws: ``RegionError`` with the reason and a place.
    static func check(_ polygons: [[[RegionCorner]]]) throws(RegionError) {
        guard let context = unsafe GEOS_init_r() else { throw .memory }
        defer { unsafe GEOS_finish_r(context) }
        guard let geometry = unsafe geometry(of: polygons, context) else { throw .memory }
        defer { unsafe GEOSGeom_destroy_r(context, geometry) }
        var reason: UnsafeMutablePointer<CChar>?
        var place: OpaquePointer?
        let answer = unsafe GEOSisValidDetail_r(context, geometry, 0, &reason, &place)
        defer {
            if let reason = unsafe reason { unsafe GEOSFree_r(context, reason) }
            if let place = unsafe place { unsafe GEOSGeom_destroy_r(context, place) }
        }
        if answer == 1 { return }
        guard answer == 0, let text = unsafe reason, let place = unsafe place else { throw .memory }
        var lon = 0.0
        var lat = 0.0
        _ = unsafe GEOSGeomGetX_r(context, place, &lon)
        _ = unsafe GEOSGeomGetY_r(context, place, &lat)
        throw .invalid(
            reason: unsafe String(cString: text), lon: LonLat.wrapped(degreesEast: lon / 1e7),
            lat: lat / 1e7)
    }

    /// The polygons as one geometry of GEOS, which the caller owns.
    private static func geometry(
        of polygons: [[[RegionCorner]]], _ context: GEOSContextHandle_t
    ) -> OpaquePointer? {
        if polygons.count == 1 { return unsafe polygon(polygons[0], context) }
        var parts: [OpaquePointer?] = unsafe []
        for rings in polygons {
            guard let part = unsafe polygon(rings, context) else {
                unsafe destroy(parts, context)
                return nil
            }
            unsafe parts.append(part)
        }
        // The collection owns its parts, whether it is made or not.
        return unsafe parts.withUnsafeMutableBufferPointer { buffer in
            unsafe GEOSGeom_createCollection_r(
                context, Int32(GEOS_MULTIPOLYGON.rawValue), buffer.baseAddress,
                UInt32(buffer.count))
        }
    }

    private static func polygon(
        _ rings: [[RegionCorner]], _ context: GEOSContextHandle_t
    ) -> OpaquePointer? {
        var made: [OpaquePointer?] = unsafe []
        for ring in rings {
            guard let line = unsafe self.ring(ring, context) else {
                unsafe destroy(made, context)
                return nil
            }
            unsafe made.append(line)
        }
        guard let outer = unsafe made[0] else { return nil }
        unsafe made.removeFirst()
        return unsafe made.withUnsafeMutableBufferPointer { holes in
            unsafe GEOSGeom_createPolygon_r(
                context, outer, holes.baseAddress, UInt32(holes.count))
        }
    }

    private static func ring(
        _ corners: [RegionCorner], _ context: GEOSContextHandle_t
    ) -> OpaquePointer? {
        let numbers = corners.flatMap { [Double($0.lonE7), Double($0.latE7)] }
        let sequence = unsafe numbers.withUnsafeBufferPointer { buffer in
            unsafe GEOSCoordSeq_copyFromBuffer_r(
                context, buffer.baseAddress, UInt32(corners.count), 0, 0)
        }
        guard let sequence = unsafe sequence else { return nil }
        // The ring owns the sequence, whether it is made or not.
        return unsafe GEOSGeom_createLinearRing_r(context, sequence)
    }

    private static func destroy(_ parts: [OpaquePointer?], _ context: GEOSContextHandle_t) {
        for index in unsafe parts.indices {
            if let part = unsafe parts[index] { unsafe GEOSGeom_destroy_r(context, part) }
        }
    }
}
