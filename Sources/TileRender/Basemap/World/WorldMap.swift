/// What the world looks like: shapes at several levels of detail, and names by importance.
///
/// Read from the file that `fixtures/world/README.md` describes.
struct WorldMap: Sendable {
    /// The version of the file's format that is read.
    static let version: UInt32 = 1

    /// Levels of detail, from the coarsest; together they cover every zoom once.
    let bands: [Band]
    /// Names, the most important first.
    let labels: [PlaceLabel]
    /// Names are placed on a square grid of 2^bits units.
    let labelGridBits: Int

    /// One level of detail.
    struct Band: Sendable {
        /// The zooms that are drawn with it.
        let zooms: ClosedRange<UInt8>
        /// Shapes lie on a square grid of 2^bits units.
        let gridBits: Int
        /// Dry ground, lakes included.
        var land = PathLayer(isClosed: true)
        /// Lakes, and the islands in them as holes.
        var lakes = PathLayer(isClosed: true)
        /// Borders of countries, on land only.
        var borders = PathLayer(isClosed: false)
        /// Borders of states and provinces.
        var provinces = PathLayer(isClosed: false)
    }

    /// The level of detail for a zoom.
    ///
    /// - Precondition: the zoom is at most `TileID.maxZoom`.
    func band(zoom: UInt8) -> Band {
        guard let band = bands.first(where: { $0.zooms.contains(zoom) }) else {
            preconditionFailure("no level of detail has zoom \(zoom)")
        }
        return band
    }
}

/// A name on the map.
struct PlaceLabel: Sendable {
    /// What bears the name.
    let kind: PointClass
    /// Importance: for towns `10 · log2` of the number of people.
    let rank: UInt8
    /// The zooms at which the name makes sense.
    let zooms: ClosedRange<UInt8>
    /// Grid units eastwards and southwards from the north-west corner.
    let x: Int32
    let y: Int32
    /// The name; line feeds part it into lines.
    let name: String

    /// What is drawn.
    var text: MapName { MapName(points: kind, rank: rank, text: name) }
}

/// What the picture of a name depends on besides zoom, scale and style.
struct MapName: Hashable, Sendable {
    let points: PointClass
    let rank: UInt8
    /// The name; line feeds part it into lines.
    let text: String
}
