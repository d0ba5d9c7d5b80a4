/// The names by which tables call their coordinates, in several languages.
enum CoordinateNames {
    /// Which coordinate a column is for.
    enum Axis: CaseIterable {
        case lon, lat

        /// The name of the option that names the column.
        var option: String { self == .lon ? "lon" : "lat" }

        /// The names that are meant without doubt, in lower case, the best first.
        var plain: [String] {
            switch self {
            case .lon: ["lon", "lng", "longitude", "x"]
            case .lat: ["lat", "latitude", "y"]
            }
        }

        /// Other names, in lower case and without anything but letters and digits.
        fileprivate var foreign: Set<String> {
            switch self {
            case .lon:
                [
                    "lon", "lng", "long", "longitude", "x", "xcoord", "xcoordinate", "coordx",
                    "coordinatex", "pointx", "posx", "geolon", "geolng", "geolongitude",
                    "decimallongitude", "gpslongitude", "gpslon", "lonwgs84", "wgs84lon", "stoplon",
                    "easting", "east", "e", "eastings", "laengengrad", "längengrad", "langengrad",
                    "länge", "laenge", "geolänge", "geogrlänge", "geographischelänge", "ostwert",
                    "rechtswert", "xkoordinate", "coordonneex", "coordenadax", "longitud",
                    "longitudine", "longitudegps", "lengtegraad", "lengte", "długość", "dlugosc",
                    "długośćgeograficzna", "längd", "lengdegrad", "længdegrad", "pituusaste",
                    "zeměpisnádélka", "boylam", "долгота", "довгота", "経度", "经度", "經度", "경도",
                ]
            case .lat:
                [
                    "lat", "latitude", "y", "ycoord", "ycoordinate", "coordy", "coordinatey",
                    "pointy", "posy", "geolat", "geolatitude", "decimallatitude", "gpslatitude",
                    "gpslat", "latwgs84", "wgs84lat", "stoplat", "northing", "north", "n",
                    "northings", "breitengrad", "breite", "geobreite", "geogrbreite",
                    "geographischebreite", "nordwert", "hochwert", "ykoordinate", "coordonneey",
                    "coordenaday", "latitud",
                    "latitudine", "latitudegps", "breedtegraad", "breedte", "szerokość",
                    "szerokosc", "szerokośćgeograficzna", "latitudgps", "bredd", "breddgrad",
                    "breddegrad", "leveysaste", "zeměpisnášířka", "enlem", "широта", "緯度", "纬度",
                    "위도",
                ]
            }
        }

        /// Words that mean the coordinate wherever they stand in a name.
        fileprivate var words: Set<String> {
            switch self {
            case .lon:
                ["lon", "lng", "longitude", "längengrad", "longitud", "longitudine", "easting"]
            case .lat: ["lat", "latitude", "breitengrad", "latitud", "latitudine", "northing"]
            }
        }
    }

    /// The names of columns that hold whole geometries, without anything but letters and digits.
    static let geometries: Set<String> = [
        "wkt", "geom", "geometry", "thegeom", "wktgeom", "geomwkt", "geometrywkt", "wktgeometry",
        "shape", "shapewkt", "point", "geometrie", "geometria", "geometrii", "location",
    ]

    /// The column of a coordinate: one of the plain names, else another, else one that holds a
    /// word for it, such as `stop_lat` or `Latitude (deg)`; nil when there is none.
    ///
    /// - Returns: The column, and whether its name is a plain one.
    static func column(
        of axis: Axis, among columns: [String]
    ) -> (index: Int, isPlain: Bool)? {
        let lowered = columns.map { $0.lowercased() }
        for name in axis.plain {
            if let index = lowered.firstIndex(of: name) { return (index, true) }
        }
        let letters = lowered.map(lettersOnly)
        if let index = letters.firstIndex(where: axis.foreign.contains) { return (index, false) }
        let index = lowered.firstIndex { name in
            name.split { !$0.isLetter }.contains { axis.words.contains(String($0)) }
        }
        return index.map { ($0, false) }
    }

    /// A name without anything but letters and digits.
    static func lettersOnly(_ name: String) -> String {
        String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }
}
