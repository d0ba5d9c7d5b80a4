/// What bears a name at a point: the words by which a style and a source of features speak of the
/// same thing. The style file has the names of the cases.
package enum PointClass: UInt8, CaseIterable, Sendable {
    // The world map's, in the order of its file's codes.
    case city, capital, country, ocean, sea
    // Of a detailed source: parts of towns, names of areas, and what is found at a house.
    case suburb, quarter, street, lake, park, peak, station
    case transport, culture, education, health, lodging, food, shop, leisure, house

    /// Whether the name is written across what it names, and not beside a spot.
    var isArea: Bool {
        switch self {
        case .country, .ocean, .sea, .suburb, .quarter, .street, .lake, .park, .house: true
        case .city, .capital, .peak, .station, .transport, .culture, .education, .health,
            .lodging, .food, .shop, .leisure:
            false
        }
    }

    /// Whether the name stands in water.
    var isWet: Bool { self == .ocean || self == .sea || self == .lake }

    /// The class of a kind of name in the world map's file.
    init?(worldMapCode code: UInt8) {
        guard code <= PointClass.sea.rawValue else { return nil }
        self.init(rawValue: code)
    }
}
