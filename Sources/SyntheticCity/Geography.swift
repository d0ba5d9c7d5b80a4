/// One part of a city: a bell-shaped crowd round a centre.
struct District: Sendable {
    /// The centre, in metres east and north of the city's.
    let eastMeters: Double
    let northMeters: Double
    /// The standard deviation of the crowd on either axis.
    let spreadMeters: Double
    /// The city that it belongs to.
    let city: Int
}

/// A city: where it lies and how its streets run.
struct City: Sendable {
    let lon: Double
    let lat: Double
    /// Degrees of longitude in a metre, at the city's latitude.
    let lonDegreesPerMeter: Double
    /// The direction of the streets as a unit vector, and the distance between two of them.
    let streetEast: Double
    let streetNorth: Double
    let blockMeters: Double
}

/// Where the people of a synthetic world live: cities of districts, chosen by weight.
struct Geography: Sendable {
    /// Degrees of latitude in a metre, on the sphere of 6 371 008.8 m.
    static let latDegreesPerMeter = 1 / 111_195.08

    private(set) var cities: [City] = []
    private(set) var districts: [District] = []
    /// The running sum of the districts' weights.
    private var cumulativeWeights: [Double] = []
    /// How many of 1 000 objects lie in the country round a city, and anywhere on land or sea.
    let countryPerMille: UInt32
    let anywherePerMille: UInt32

    init(countryPerMille: UInt32, anywherePerMille: UInt32) {
        self.countryPerMille = countryPerMille
        self.anywherePerMille = anywherePerMille
    }

    /// Adds a city of `districtCount` districts within about `radiusMeters` of its centre.
    mutating func addCity(
        lon: Double, lat: Double, weight: Double, districtCount: Int, radiusMeters: Double,
        random: inout SplitMix64
    ) {
        // A rational point of the unit circle gives a bearing without sine and cosine.
        let slope = random.between(-0.4, 0.4)
        cities.append(
            City(
                lon: lon, lat: lat,
                lonDegreesPerMeter: Geography.latDegreesPerMeter / cosine(degrees: lat),
                streetEast: (1 - slope * slope) / (1 + slope * slope),
                streetNorth: 2 * slope / (1 + slope * slope),
                blockMeters: random.between(70, 130)))
        let shares = (0..<districtCount).map { 1 / (Double($0) + 1.1) }
        let sum = shares.reduce(0, +)
        for (rank, share) in shares.enumerated() {
            // The first district is the old town: in the middle, small and crowded.
            let reach = rank == 0 ? 0.1 : 0.55
            // From 240 m to 1.7 km; the square makes small ones common.
            let size = random.unit()
            districts.append(
                District(
                    eastMeters: random.bell() * radiusMeters * reach,
                    northMeters: random.bell() * radiusMeters * reach,
                    spreadMeters: rank == 0
                        ? random.between(290, 350) : 240 + 1500 * size * size,
                    city: cities.count - 1))
            cumulativeWeights.append((cumulativeWeights.last ?? 0) + weight * share / sum)
        }
    }

    /// The district at a share of the whole weight, in [0, 1). O(log districts).
    ///
    /// - Precondition: there is a city.
    func district(at share: Double) -> District {
        let target = share * (cumulativeWeights.last ?? 0)
        var low = 0
        var high = cumulativeWeights.count - 1
        while low < high {
            let middle = (low + high) / 2
            if cumulativeWeights[middle] > target { high = middle } else { low = middle + 1 }
        }
        return districts[low]
    }
}

extension Geography {
    /// The cities of `synth`: a famous few in an order drawn by the seed, then invented ones.
    ///
    /// City r has a weight of 1 / (r + 3.5), r from 1: large ones dominate, but none holds a tenth.
    static func world(cityCount: Int, seed: UInt64) -> Geography {
        var random = SplitMix64(seed: seed, stream: .max)
        var places = metropolises
        for last in stride(from: places.count - 1, to: 0, by: -1) {
            places.swapAt(last, Int(random.below(UInt32(last + 1))))
        }
        var world = Geography(countryPerMille: 12, anywherePerMille: 8)
        for rank in 0..<cityCount {
            let place =
                rank < places.count
                ? places[rank] : (lon: random.between(-179, 179), lat: random.between(-42, 62))
            world.addCity(
                lon: place.lon, lat: place.lat, weight: 1 / (Double(rank) + 4.5),
                districtCount: 9 + Int(random.below(7)),
                radiusMeters: random.between(9_000, 19_000), random: &random)
        }
        return world
    }

    /// The demo's city and its neighbours: Berlin and the towns round it.
    static func demo(seed: UInt64) -> Geography {
        var random = SplitMix64(seed: seed, stream: .max - 1)
        var region = Geography(countryPerMille: 15, anywherePerMille: 0)
        region.addCity(
            lon: 13.405, lat: 52.518, weight: 80, districtCount: 26, radiusMeters: 13_000,
            random: &random)
        for town in demoTowns {
            region.addCity(
                lon: town.lon, lat: town.lat, weight: town.weight, districtCount: 4,
                radiusMeters: 2_500, random: &random)
        }
        return region
    }

    private static let demoTowns: [(lon: Double, lat: Double, weight: Double)] = [
        (13.06, 52.40, 7), (13.24, 52.75, 2), (13.59, 52.68, 2), (13.88, 52.58, 1.5),
        (13.09, 52.56, 2), (13.63, 52.30, 2), (13.26, 52.30, 1.5), (14.06, 52.36, 1),
        (12.88, 52.61, 1),
    ]

    /// Centres of large cities, to a hundredth of a degree, longitude first.
    private static let metropolises: [(lon: Double, lat: Double)] = [
        (-0.13, 51.51), (2.35, 48.86), (13.40, 52.52), (37.62, 55.75), (-74.01, 40.71),
        (-118.24, 34.05), (-87.63, 41.88), (-99.13, 19.43), (-46.63, -23.55), (-58.38, -34.60),
        (-77.04, -12.05), (139.69, 35.69), (126.98, 37.57), (121.47, 31.23), (116.40, 39.90),
        (114.17, 22.32), (103.82, 1.35), (106.85, -6.21), (100.50, 13.76), (72.88, 19.08),
        (77.10, 28.70), (55.27, 25.20), (31.24, 30.04), (3.38, 6.52), (36.82, -1.29),
        (28.05, -26.20), (151.21, -33.87), (174.76, -36.85), (-3.70, 40.42), (18.07, 59.33),
        (12.50, 41.90), (28.98, 41.01), (21.01, 52.23), (-79.38, 43.65), (-122.42, 37.77),
        (-74.07, 4.71), (-70.67, -33.45), (-17.44, 14.69), (120.98, 14.60), (144.96, -37.81),
    ]
}
