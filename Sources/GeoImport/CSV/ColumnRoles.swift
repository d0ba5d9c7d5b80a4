/// Finds out which columns of a table hold the place, the id and the kind.
struct ColumnRoles {
    private let columns: [String]
    private let records: [[[UInt8]]]
    private let hasHeader: Bool
    /// What was guessed, in words.
    private(set) var guesses: [String] = []

    /// Begins with the columns' names and the first records.
    init(columns: [String], records: [[[UInt8]]], hasHeader: Bool) {
        self.columns = columns
        // What has another number of cells is rejected later, and says nothing here.
        self.records = records.filter { $0.count == columns.count }
        self.hasHeader = hasHeader
    }

    /// Where the place stands: in the columns that the options name, else in those whose names say
    /// so, else in a column of geometries, else, in a table without a header, in the first two
    /// that look like it.
    ///
    /// - Throws: ``ImportError/noCoordinateColumn(coordinate:columns:)``,
    ///   ``ImportError/noSuchColumn(option:name:columns:)``.
    mutating func place(_ options: ImportOptions) throws(ImportError) -> CSVHeader.Place {
        if let name = options.wktColumn {
            return .geometry(index: try column(named: name, option: "wkt"))
        }
        let statedLon = try options.lonColumn.map { (name) throws(ImportError) in
            try column(named: name, option: "lon")
        }
        let statedLat = try options.latColumn.map { (name) throws(ImportError) in
            try column(named: name, option: "lat")
        }
        let lon = statedLon ?? named(.lon)
        let lat = statedLat ?? named(.lat)
        if let lon, let lat { return coordinates(lon, lat, options) }
        if statedLon == nil, statedLat == nil {
            if let index = geometryColumn() {
                guesses.append("geometries in \(quoted(index))")
                return .geometry(index: index)
            }
            if !hasHeader, let pair = pairByValues() {
                guesses.append("lon in \(quoted(pair.lon)), lat in \(quoted(pair.lat))")
                return coordinates(pair.lon, pair.lat, options)
            }
        }
        throw .noCoordinateColumn(coordinate: lon == nil ? "lon" : "lat", columns: columns)
    }

    /// The column of the id, when there is one.
    func id(_ options: ImportOptions) throws(ImportError) -> Int? {
        if let name = options.idColumn { return try column(named: name, option: "id") }
        let lowered = columns.map { $0.lowercased() }
        return ["id", "objectid"].lazy.compactMap { lowered.firstIndex(of: $0) }.first
    }

    /// The column of the kind, when one is named.
    func kind(_ options: ImportOptions) throws(ImportError) -> Int? {
        guard let name = options.kindColumn else { return nil }
        return try column(named: name, option: "kind")
    }

    /// The column that an option names: exactly, or else in another case, or else by its number.
    private func column(named name: String, option: String) throws(ImportError) -> Int {
        let name = String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        let lowered = name.lowercased()
        if let index = columns.firstIndex(of: name)
            ?? columns.firstIndex(where: { $0.lowercased() == lowered })
        {
            return index
        }
        guard let number = Int(name), columns.indices.contains(number - 1) else {
            throw .noSuchColumn(option: option, name: name, columns: columns)
        }
        return number - 1
    }

    private mutating func named(_ axis: CoordinateNames.Axis) -> Int? {
        guard hasHeader, let found = CoordinateNames.column(of: axis, among: columns) else {
            return nil
        }
        if !found.isPlain { guesses.append("\(axis.option) in \(quoted(found.index))") }
        return found.index
    }

    private mutating func coordinates(
        _ lon: Int, _ lat: Int, _ options: ImportOptions
    ) -> CSVHeader.Place {
        let lonNotation = CoordinateNotation.mostLikely(cells(lon), .lon) ?? .decimalPoint
        let latNotation = CoordinateNotation.mostLikely(cells(lat), .lat) ?? .decimalPoint
        if lonNotation == .sexagesimal || latNotation == .sexagesimal {
            guesses.append("coordinates in degrees, minutes and seconds")
        }
        if options.crs == nil, looksProjected(lon, lonNotation), looksProjected(lat, latNotation) {
            guesses.append(
                "coordinates that are no degrees: say with crs which system they are in, such as "
                    + "EPSG:25832")
        }
        return .coordinates(
            lon: CSVHeader.Coordinate(index: lon, notation: lonNotation),
            lat: CSVHeader.Coordinate(index: lat, notation: latNotation))
    }

    /// Whether most numbers of a column are too large for degrees.
    private func looksProjected(_ index: Int, _ notation: CoordinateNotation) -> Bool {
        let values = cells(index).compactMap {
            notation.value($0.span, $0.span.trimmed($0.indices), .lon)
        }
        return 2 * values.count { abs($0) > 360 } > values.count
    }

    /// A column most of whose cells are geometries: one with a name for them before others.
    private func geometryColumn() -> Int? {
        let holding = columns.indices.filter { index in
            // A few cells are enough: no other text begins so.
            let seen = cells(index).filter { !$0.isEmpty }.prefix(20)
            return 2 * seen.count(where: WKTReader.looksLikeOne) > seen.count
        }
        return holding.first {
            CoordinateNames.geometries.contains(CoordinateNames.lettersOnly(columns[$0]))
        } ?? holding.first
    }

    /// Two neighbours that hold fractions in the range of degrees. The latitude comes first, as in
    /// most such tables, unless its values say otherwise.
    private func pairByValues() -> (lon: Int, lat: Int)? {
        let largest = columns.indices.map { largestDegrees(of: $0) }
        for (first, second) in zip(columns.indices, columns.indices.dropFirst()) {
            guard let one = largest[first], let other = largest[second] else { continue }
            if one > 90 && other > 90 { continue }
            return one > 90 ? (first, second) : (second, first)
        }
        return nil
    }

    /// The largest angle of a column most of whose cells have fractions or are angles; nil when
    /// they are not, or one is no angle.
    private func largestDegrees(of index: Int) -> Double? {
        let filled = cells(index).filter { !$0.isEmpty }
        let axis =
            CoordinateNames.Axis.allCases.first { axis in
                CoordinateNotation.mostLikely(filled, axis) == .sexagesimal
            } ?? .lon
        guard let notation = CoordinateNotation.mostLikely(filled, axis) else { return nil }
        let values = filled.compactMap {
            notation.value($0.span, $0.span.trimmed($0.indices), axis)
        }
        let fractions = values.count { $0 != $0.rounded() }
        guard 2 * fractions > filled.count, let largest = values.map(abs).max(), largest <= 180
        else { return nil }
        return largest
    }

    private func cells(_ index: Int) -> [[UInt8]] { records.map { $0[index] } }

    private func quoted(_ index: Int) -> String { "\"\(columns[index].prefix(60))\"" }
}
