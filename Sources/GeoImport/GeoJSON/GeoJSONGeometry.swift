package import JSONText

/// What counts as a geometry for whoever writes GeoJSON.
package enum GeoJSONGeometry {
    /// Whether a value is a geometry that an import takes: RFC 7946, on the globe. O(size).
    package static func isValid(_ value: JSONValue) -> Bool {
        do throws(GeoJSONError) {
            _ = try GeometryReader(.unplaced).shape(of: value)
            return true
        } catch {
            return false
        }
    }
}
