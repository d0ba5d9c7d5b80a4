/// Why a synthetic world cannot be made.
package enum CityGeneratorError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of cities is not in ``CityGenerator/cityCounts``.
    case cityCount(Int)

    /// A sentence that says what would be right.
    package var description: String {
        switch self {
        case .cityCount(let count):
            "\(count) cities cannot be made: the number is from "
                + "\(CityGenerator.cityCounts.lowerBound) to \(CityGenerator.cityCounts.upperBound)"
        }
    }
}

/// A deterministic world of synthetic cities: the same seed gives the same records everywhere.
///
/// Record i depends on the seed, the cities and i alone, so any range can be made by itself, in
/// any order, on any number of threads, and the first 1 000 of a million are the 1 000. Places are
/// crowds round districts, four in ten of them along a street grid, a few in the country and
/// anywhere. The density is part of the service's contract: at 1 M records and 30 cities a circle
/// of 500 m round a random record holds 2 000 to 3 500 others on average.
///
///     let world = try CityGenerator(cityCount: 30, seed: 1)
///     world.record(at: 0).title
///
/// - Complexity: O(log districts) for each record, no memory for each record.
package struct CityGenerator: Sendable {
    /// The seed when none is given.
    package static let defaultSeed: UInt64 = 1
    /// The number of cities when none is given.
    package static let defaultCityCount = 30
    /// How many cities a world may have.
    package static let cityCounts = 1...10_000
    /// 2026-01-01T00:00:00Z, before which all times lie: a fixed date, or the bytes would change.
    package static let referenceMilliseconds: Int64 = 1_767_225_600_000
    /// How far back times go; half of them lie in the last quarter.
    static let historyDays = 3 * 365.0

    let geography: Geography
    let seed: UInt64

    /// Creates a world.
    ///
    /// - Throws: ``CityGeneratorError`` when there cannot be so many cities.
    package init(
        cityCount: Int = CityGenerator.defaultCityCount, seed: UInt64 = CityGenerator.defaultSeed
    ) throws(CityGeneratorError) {
        guard CityGenerator.cityCounts.contains(cityCount) else { throw .cityCount(cityCount) }
        self.init(geography: .world(cityCount: cityCount, seed: seed), seed: seed)
    }

    init(geography: Geography, seed: UInt64) {
        self.geography = geography
        self.seed = seed
    }

    /// The record at a 0-based index; its number is one more.
    package func record(at index: UInt64) -> CityRecord {
        var random = SplitMix64(seed: seed, stream: index)
        let place = geography.place(random: &random)
        let kind = CityKind.at(percentile: random.below(100))
        // Pareto's law with exponent 2, as far as 1 000.
        let weight = min(100_000, 100 / random.positiveUnit().squareRoot())
        let share = random.unit()
        return CityRecord(
            // An index below 2^64 − 1 is all that a caller can count to.
            number: index &+ 1,
            lonE6: place.lonE6, latE6: place.latE6, kind: kind,
            weightHundredths: Int32(weight.rounded(.down)),
            timeMilliseconds: CityGenerator.time(lonE6: place.lonE6, random: &random),
            owner: UInt32(share * share * share * Double(CityRecord.ownerPool)),
            titleBits: random.next())
    }

    /// A time in the history: more of them recently, most of them in the local afternoon.
    private static func time(lonE6: Int32, random: inout SplitMix64) -> Int64 {
        let share = random.unit()
        // Two days before the reference at least: the local day may begin half a day later.
        let day = 2 + Int64(share * share * historyDays)
        let localMilliseconds = Int64((random.unit() + random.unit()) / 2 * 86_400_000)
        let localShift = Int64(lonE6) * 240 / 1000  // 4 minutes for each degree
        return referenceMilliseconds - day * 86_400_000 + localMilliseconds + 10_800_000
            - localShift
    }
}

/// Records as parallel columns, for what reads one property of many.
package struct CityColumns: Sendable {
    /// Decimal degrees east.
    package var lons: [Double] = []
    /// Decimal degrees north.
    package var lats: [Double] = []
    /// What each object is.
    package var kinds: [CityKind] = []
    /// Weights.
    package var weights: [Double] = []
    /// Milliseconds since 1970 UTC.
    package var timesMilliseconds: [Int64] = []

    /// The number of records.
    package var count: Int { lons.count }
}

extension CityGenerator {
    /// The records of a range of indices as columns.
    package func fill(_ indices: Range<UInt64>) -> CityColumns {
        var columns = CityColumns()
        columns.lons.reserveCapacity(indices.count)
        columns.lats.reserveCapacity(indices.count)
        columns.kinds.reserveCapacity(indices.count)
        columns.weights.reserveCapacity(indices.count)
        columns.timesMilliseconds.reserveCapacity(indices.count)
        for index in indices {
            let record = record(at: index)
            columns.lons.append(record.lon)
            columns.lats.append(record.lat)
            columns.kinds.append(record.kind)
            columns.weights.append(record.weight)
            columns.timesMilliseconds.append(record.timeMilliseconds)
        }
        return columns
    }

    /// The first `count` records as columns.
    package func fill(_ count: Int) -> CityColumns { fill(0..<UInt64(max(0, count))) }
}
