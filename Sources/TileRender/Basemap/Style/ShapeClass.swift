/// What an area or a line of the map is: the words by which a style and a source of features
/// speak of the same thing. The style file has the names of the cases.
package enum ShapeClass: UInt8, CaseIterable, Sendable {
    // The world map's.
    case land, lake, province, border
    // Areas of a detailed source.
    case residential, industrial, farmland, grass, park, wood, sand, wetland, glacier, cemetery
    case pitch, parking, water, plaza, pier, building
    // Lines of a detailed source.
    case river, stream, coastline, runway, taxiway, ferry, rail, tram
    case motorway, trunk, primary, secondary, tertiary, street, service, pedestrian, track, path

    /// Whether it has an inside that can be filled.
    package var isArea: Bool {
        switch self {
        case .land, .lake, .residential, .industrial, .farmland, .grass, .park, .wood, .sand,
            .wetland, .glacier, .cemetery, .pitch, .parking, .water, .plaza, .pier, .building:
            true
        case .province, .border, .river, .stream, .coastline, .runway, .taxiway, .ferry, .rail,
            .tram, .motorway, .trunk, .primary, .secondary, .tertiary, .street, .service,
            .pedestrian, .track, .path:
            false
        }
    }
}
