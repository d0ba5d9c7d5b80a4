import GeoIndex
import GeoStore

extension Layer {
    /// The heat that a request asks for: as the layer's settings have it, with the half-life of
    /// the request if it has one.
    ///
    /// - Parameter now: From when on it fades: the request's one reading of the clock.
    func heatOptions(halfLifeMinutes: Int64?, at now: Timestamp) -> HeatOptions {
        let heat = settings.heat
        let halfLife = halfLifeMinutes ?? heat.halfLifeMinutes.map { Int64($0) }
        return HeatOptions(
            radiusPixels: heat.effectiveRadiusPixels,
            decay: halfLife.map {
                TimeDecay(halfLifeMinutes: $0, nowMilliseconds: now.milliseconds)
            },
            minOwners: heat.minOwners ?? 0)
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
