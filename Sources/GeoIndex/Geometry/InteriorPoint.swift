import CGEOS

/// Finds a position on a shape: inside an area, on a line, among points.
///
/// It owns a context of GEOS, which belongs to one thread at a time: each worker makes its own,
/// which is why it is not `Sendable`.
///
///     let finder = InteriorPointFinder()
///     finder.position(on: .polygon([ring]))
@safe public final class InteriorPointFinder {
    private let context: GEOSContextHandle_t?

    /// Creates a finder. Without memory for a context it answers with first positions.
    public init() {
        // Without handlers GEOS keeps its messages to itself.
        unsafe context = GEOS_init_r()
    }

    deinit {
        if let context = unsafe context { unsafe GEOS_finish_r(context) }
    }

    /// A position on the shape, the same for the same shape; nil when the shape has no position.
    ///
    /// Of several areas the widest is chosen, of several lines an inner vertex near the middle.
    /// Where GEOS finds none, because a ring crosses itself or is too short, it is the first
    /// position that was stated. Coordinates are taken on the plane, so a shape that crosses ±180°
    /// has to come cut there, as RFC 7946 asks; its widest part then decides.
    ///
    /// - Complexity: O(n log n) in the positions.
    public func position(on shape: Shape) -> LonLat? {
        if case .point(let position) = shape { return position }
        guard let first = shape.firstPosition else { return nil }
        return pointOnSurface(of: WellKnownBinary.encode(shape)) ?? first
    }

    private func pointOnSurface(of bytes: [UInt8]) -> LonLat? {
        guard let context = unsafe context,
            let geometry = unsafe bytes.withUnsafeBufferPointer({ buffer in
                unsafe GEOSGeomFromWKB_buf_r(context, buffer.baseAddress, buffer.count)
            })
        else { return nil }
        defer { unsafe GEOSGeom_destroy_r(context, geometry) }
        guard let point = unsafe GEOSPointOnSurface_r(context, geometry) else { return nil }
        defer { unsafe GEOSGeom_destroy_r(context, point) }
        var lon = Double.nan
        var lat = Double.nan
        guard unsafe GEOSGeomGetX_r(context, point, &lon) == 1,
            unsafe GEOSGeomGetY_r(context, point, &lat) == 1
        else { return nil }
        // An empty point gives NaN, which is no position.
        return try? LonLat(lon: lon, lat: lat)
    }
}
