import GeoIndex
import GeoStore

extension Layer {
    /// The heat that a request asks for: the layer's, with the half-life of the request if it has
    /// one.
    ///
    /// - Throws: ``Problem`` (400) naming `halfLife`.
    func heatOptions(_ query: MapQuery, now: Timestamp) throws(Problem) -> HeatOptions {
        let halfLife = try query.span("halfLife", in: TimeDecay.halfLivesMinutes)
        return HeatOptions(
            decay: halfLife.map {
                TimeDecay(halfLifeMinutes: $0, nowMilliseconds: now.milliseconds)
            })
    }
}

extension MapQuery {
    /// A span of time such as `90m` or `24h`, in whole minutes.
    func span(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let minutes = RelativeTime.minutes(text), range.contains(Int64(minutes)) else {
            let longest = RelativeTime.text(ofMinutes: Int(range.upperBound))
            throw .parameter(
                name, "must be a span such as 90m, 24h or 7d, from 1m to \(longest)")
        }
        return Int64(minutes)
    }
}
