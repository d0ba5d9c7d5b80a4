import GeoIndex
import GeoStore

/// The heat of a class that the public may not find, as `heat.public` shows it to those who may not:
/// what ``HeatProtection`` lets be told of all objects that anybody may read, and nothing else.
struct ProtectedHeat: Sendable {
    /// What a request asks for.
    let protection: HeatProtection
    /// The colour scale: nothing that objects decide.
    let scale: HeatScale

    /// Reads the parameters of a request.
    ///
    /// - Parameters:
    ///   - windowHours: The last so many hours and the one that has begun; nil is all the time.
    ///   - windowsAgo: How many such windows before the last one.
    /// - Throws: ``Problem`` (400): a `kind` or `where` would single out objects, and spans that
    ///   are not whole hours could be moved on until one object has left them.
    init(
        _ layer: Layer, _ query: MapQuery, windowHours: Int64? = nil, windowsAgo: Int64 = 0
    ) throws(Problem) {
        for name in ["kind", "where"] where query.text(name) != nil {
            throw .parameter(
                name, "is not taken: of \(layer.name) only the heat of all objects is public")
        }
        let hour = HeatProtection.hour(ofMilliseconds: query.now.milliseconds)
        var since = try ProtectedHeat.hour(query, "since", from: hour)
        var until = try ProtectedHeat.hour(query, "until", from: hour)
        if let windowHours {
            let first = hour - (windowsAgo + 1) * windowHours
            let end = windowsAgo == 0 ? hour + 1 : hour - windowsAgo * windowHours
            since = max(since ?? first, first)
            until = min(until ?? end, end)
        }
        let asked = try ProtectedHeat.hours(query, "halfLife", in: TimeDecay.halfLivesMinutes)
        // A setting of other minutes fades a little slower.
        let set = layer.settings.heat.halfLifeMinutes.map { (Int64($0) + 59) / 60 }
        let longest = TimeDecay.halfLivesMinutes.upperBound / 60
        protection = HeatProtection(
            minOwners: max(layer.settings.heat.minOwners ?? 0, HeatSettings.leastPublicOwners),
            sinceHour: since, untilHour: until,
            halfLifeHours: (asked ?? set).map { min($0, longest) },
            nowMilliseconds: query.now.milliseconds)
        scale = ProtectedHeat.scale(of: layer)
    }

    /// The colour scale: what an operator has set, else that of small layers. One that is fitted
    /// would tell of objects that are not shown.
    static func scale(of layer: Layer) -> HeatScale {
        guard let domains = layer.settings.heat.domains else { return .unfitted }
        return HeatScale(domains: domains, version: layer.heatScale.version, isFitted: true)
    }

    /// A span of whole hours, such as `24h` or `7d`.
    ///
    /// - Throws: ``Problem`` (400).
    static func hours(
        _ query: MapQuery, _ name: String, in minutes: ClosedRange<Int64>
    ) throws(Problem) -> Int64? {
        guard let span = try query.span(name, in: minutes) else { return nil }
        guard span.isMultiple(of: 60) else { throw notWhole(name) }
        return span / 60
    }

    /// The hour of a time or of a span before the hour that has begun.
    private static func hour(
        _ query: MapQuery, _ name: String, from now: Int64
    ) throws(Problem) -> Int64? {
        guard let text = query.text(name) else { return nil }
        if let time = Timestamp(rfc3339: text) {
            guard time.milliseconds.isMultiple(of: HeatProtection.millisecondsPerHour) else {
                throw notWhole(name)
            }
            return HeatProtection.hour(ofMilliseconds: time.milliseconds)
        }
        guard let minutes = RelativeTime.minutes(text), minutes.isMultiple(of: 60) else {
            throw notWhole(name)
        }
        return now - Int64(minutes / 60)
    }

    private static func notWhole(_ name: String) -> Problem {
        .parameter(
            name,
            "must be whole hours, such as 1h, 24h or 7d, or a time on the hour such as "
                + "2026-05-04T03:00:00.000Z: only the heat of this layer is public")
    }
}
