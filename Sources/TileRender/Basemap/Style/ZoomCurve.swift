/// A number that changes with the zoom: straight between the stops, constant outside of them.
package struct ZoomCurve: Hashable, Sendable {
    /// A zoom and the number there.
    package struct Stop: Hashable, Sendable {
        let zoom: UInt8
        let value: Double

        /// A number at a zoom.
        package init(zoom: UInt8, value: Double) {
            self.zoom = zoom
            self.value = value
        }
    }

    private let stops: [Stop]

    /// A curve through stops.
    ///
    /// - Precondition: there is one, and their zooms ascend.
    package init(_ stops: [Stop]) {
        precondition(!stops.isEmpty, "a curve needs a stop")
        precondition(
            zip(stops, stops.dropFirst()).allSatisfy { $0.zoom < $1.zoom }, "zooms must ascend")
        self.stops = stops
    }

    /// The same number at every zoom.
    package init(_ value: Double) { stops = [Stop(zoom: 0, value: value)] }

    /// The zoom brought into the range in which the number changes.
    func clamped(_ zoom: UInt8) -> UInt8 {
        min(max(zoom, stops[0].zoom), stops[stops.count - 1].zoom)
    }

    /// The numbers' bounds.
    var range: ClosedRange<Double> {
        let values = stops.map(\.value)
        return (values.min() ?? 0)...(values.max() ?? 0)
    }

    /// The first zoom from which to the next the number doubles or more; `nil` when none is.
    package var doublingZoom: UInt8? {
        (0..<stops[stops.count - 1].zoom).first { self[$0 + 1] >= 2 * self[$0] }
    }

    /// The number at a zoom.
    package subscript(zoom: UInt8) -> Double {
        guard let next = stops.firstIndex(where: { $0.zoom > zoom }) else {
            return stops[stops.count - 1].value
        }
        if next == 0 { return stops[0].value }
        let (low, high) = (stops[next - 1], stops[next])
        let share = Double(zoom - low.zoom) / Double(high.zoom - low.zoom)
        return low.value + share * (high.value - low.value)
    }
}
