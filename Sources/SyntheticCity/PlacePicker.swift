/// A place in millionths of a degree.
struct PlaceE6: Hashable, Sendable {
    let lonE6: Int32
    let latE6: Int32

    /// The nearest such place; a longitude past ±180° goes on from the other side.
    init(lon: Double, lat: Double) {
        var turned = lon
        if turned > 180 { turned -= 360 }
        if turned < -180 { turned += 360 }
        // Both are within the range of the type after the clamp, so nothing traps.
        lonE6 = Int32((min(180, max(-180, turned)) * 1e6).rounded())
        latE6 = Int32((min(85, max(-85, lat)) * 1e6).rounded())
    }
}

extension Geography {
    /// The share of city records that stand along a street.
    private static let streetPercent: UInt32 = 40
    /// The standard deviation across a street.
    private static let streetJitterMeters = 4.0

    /// Draws a place: in a district, in the country or anywhere.
    func place(random: inout SplitMix64) -> PlaceE6 {
        let ticket = random.below(1000)
        if ticket < anywherePerMille { return Geography.anywhere(random: &random) }
        let district = district(at: random.unit())
        let city = cities[district.city]
        var east = district.eastMeters
        var north = district.northMeters
        if ticket < anywherePerMille + countryPerMille {
            // Far out, thinning with the distance: the product of two bells has a sharp peak.
            let reachMeters = 60_000 * random.unit()
            east += random.bell() * reachMeters
            north += random.bell() * reachMeters
        } else {
            east += random.bell() * district.spreadMeters
            north += random.bell() * district.spreadMeters
            if random.below(100) < Geography.streetPercent {
                (east, north) = city.onStreet(
                    eastMeters: east, northMeters: north,
                    jitterMeters: random.bell() * Geography.streetJitterMeters,
                    alongFirstAxis: random.below(2) == 0)
            }
        }
        return PlaceE6(
            lon: city.lon + east * city.lonDegreesPerMeter,
            lat: city.lat + north * Geography.latDegreesPerMeter)
    }

    /// A place anywhere between 85° S and 85° N, uniform on the sphere.
    ///
    /// Latitudes are drawn and kept with the probability of their circle's length, which needs no
    /// arc sine. Two draws in three are kept; after 64 the last one stands.
    private static func anywhere(random: inout SplitMix64) -> PlaceE6 {
        var lat = random.between(-85, 85)
        for _ in 0..<64 where random.unit() >= cosine(degrees: lat) {
            lat = random.between(-85, 85)
        }
        return PlaceE6(lon: random.between(-180, 180), lat: lat)
    }
}

extension City {
    /// Moves a place onto the nearest street of the city's grid, on one of its two axes.
    func onStreet(
        eastMeters: Double, northMeters: Double, jitterMeters: Double, alongFirstAxis: Bool
    ) -> (eastMeters: Double, northMeters: Double) {
        // Into the frame of the grid …
        var along = eastMeters * streetEast + northMeters * streetNorth
        var across = northMeters * streetEast - eastMeters * streetNorth
        if alongFirstAxis {
            across = (across / blockMeters).rounded() * blockMeters + jitterMeters
        } else {
            along = (along / blockMeters).rounded() * blockMeters + jitterMeters
        }
        // … and back.
        return (
            along * streetEast - across * streetNorth, along * streetNorth + across * streetEast
        )
    }
}
