import CPROJ
import GeoIndex

/// Turns the coordinates of a reference system into WGS 84 degrees, by PROJ.
///
/// The first coordinate is the one to the east, the second the one to the north, whatever order
/// the system's authority states: `proj_normalize_for_visualization`. Grids are used where they
/// are installed and never fetched.
///
/// It owns a context of PROJ, which belongs to one thread at a time.
@safe final class CoordinateTransform {
    private let context: OpaquePointer
    private let operation: OpaquePointer
    /// The system that is read.
    let crs: CRSCode

    /// Creates a transformation.
    ///
    /// - Throws: ``ImportError/noSuchCRS(code:)``, ``ImportError/unsuitableCRS(code:)``.
    init(from crs: CRSCode) throws(ImportError) {
        self.crs = crs
        guard let context = unsafe proj_context_create() else {
            throw .noSuchCRS(code: crs.text)
        }
        unsafe proj_context_set_enable_network(context, 0)
        // Messages go into errors, not to the standard error of the process.
        unsafe proj_log_level(context, PJ_LOG_NONE)
        do throws(ImportError) {
            unsafe operation = try CoordinateTransform.operation(from: crs, context)
        } catch {
            unsafe _ = proj_context_destroy(context)
            throw error
        }
        unsafe self.context = context
    }

    deinit {
        unsafe _ = proj_destroy(operation)
        unsafe _ = proj_context_destroy(context)
    }

    private static func operation(
        from crs: CRSCode, _ context: OpaquePointer
    ) throws(ImportError) -> OpaquePointer {
        guard let source = unsafe proj_create(context, crs.text) else {
            throw .noSuchCRS(code: crs.text)
        }
        defer { unsafe _ = proj_destroy(source) }
        switch unsafe proj_get_type(source) {
        case PJ_TYPE_GEOGRAPHIC_2D_CRS, PJ_TYPE_GEOGRAPHIC_3D_CRS, PJ_TYPE_PROJECTED_CRS,
            PJ_TYPE_COMPOUND_CRS, PJ_TYPE_BOUND_CRS:
            break
        default: throw .unsuitableCRS(code: crs.text)
        }
        guard
            let stated = unsafe proj_create_crs_to_crs(
                context, crs.text, CRSCode.wgs84.text, nil)
        else { throw .unsuitableCRS(code: crs.text) }
        defer { unsafe _ = proj_destroy(stated) }
        guard let normal = unsafe proj_normalize_for_visualization(context, stated) else {
            throw .unsuitableCRS(code: crs.text)
        }
        return unsafe normal
    }

    /// Degrees east and north of coordinates; nil where the system does not reach.
    ///
    /// - Complexity: O(1), about a microsecond.
    func degrees(east: Double, north: Double) -> (lon: Double, lat: Double)? {
        let place = unsafe proj_trans(
            operation, PJ_FWD, proj_coord(east, north, 0, Double.infinity))
        let (lon, lat) = unsafe (place.xy.x, place.xy.y)
        guard lon.isFinite, lat.isFinite else {
            // Otherwise the operation refuses all that follows.
            unsafe _ = proj_errno_reset(operation)
            return nil
        }
        // A meridian of 180° may come out a rounding error beyond it.
        let turned = abs(lon) > 180 ? LonLat.wrapped(degreesEast: lon) : lon
        return (turned, lat)
    }
}
