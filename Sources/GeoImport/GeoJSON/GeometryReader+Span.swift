import JSONText

extension GeometryReader {
    /// The least and the greatest longitude of a geometry that was checked; nil when it has no
    /// position. O(positions).
    static func longitudes(of geometry: JSONValue) -> ClosedRange<Double>? {
        var least = Double.infinity
        var greatest = -Double.infinity
        func visit(_ coordinates: [JSONValue]) {
            if let lon = coordinates.first?.doubleValue {
                least = min(least, lon)
                greatest = max(greatest, lon)
                return
            }
            for part in coordinates { visit(part.arrayValue ?? []) }
        }
        func look(at geometry: JSONValue) {
            visit(geometry["coordinates"]?.arrayValue ?? [])
            for part in geometry["geometries"]?.arrayValue ?? [] { look(at: part) }
        }
        look(at: geometry)
        return least <= greatest ? least...greatest : nil
    }
}
