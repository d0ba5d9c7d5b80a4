import GeoIndex
import JSONText

/// A table as rows: the second of its two readings, after ``CSVSurvey``.
///
/// A record becomes an object at its longitude and latitude; the id column becomes its id, every
/// other column that is not empty a field of the column's type. When the id is not one that
/// objects may have, the field `sourceId` keeps it as it was.
///
/// Coordinates are numbers as the header's ``CSVHeader/Place`` says, or Well-Known Text; spaces
/// round them are forgiven.
package struct CSVSource: RowSource {
    private let options: ImportOptions
    private let plan: CSVPlan
    private let header: CSVHeader
    private let decoder: TextDecoder?
    private let transform: CoordinateTransform?
    private let finder = InteriorPointFinder()
    /// How much of the text before the first record is left to pass over.
    private var skipBytes: Int
    private var scanner: CSVScanner

    /// Creates a reader of a table that has been surveyed.
    ///
    /// - Throws: ``ImportError`` for an encoding or a reference system that there is not.
    package init(options: ImportOptions, plan: CSVPlan) throws(ImportError) {
        self.options = options
        self.plan = plan
        header = plan.header
        decoder = plan.encoding == .utf8 ? nil : try TextDecoder(plan.encoding)
        transform = try options.transform()
        skipBytes = header.bodyOffset
        scanner = CSVScanner(
            delimiter: header.dialect.delimiter, newline: header.dialect.newline,
            cellLimit: header.columns.count, byteLimit: options.limits.recordBytes,
            line: header.firstLine)
    }

    package var notes: [String] { plan.notes }

    package mutating func push(
        _ piece: Span<UInt8>, into batch: inout RowBatch
    ) throws(ImportError) {
        guard let decoder else { return scan(piece, &batch) }
        // Bytes that are cut before they are decoded are counted before, too.
        let skipped = plan.encoding.keepsASCII ? min(skipBytes, piece.count) : 0
        skipBytes -= skipped
        let text = decoder.decode(piece.extracting(skipped..<piece.count))
        scan(text.span, &batch)
    }

    package mutating func finish(into batch: inout RowBatch) throws(ImportError) {
        if let rest = decoder?.finish() { scan(rest.span, &batch) }
        let nothing: [UInt8] = []
        while let event = scanner.finish() { take(event, nothing.span, &batch) }
    }

    private mutating func scan(_ text: Span<UInt8>, _ batch: inout RowBatch) {
        var place = min(skipBytes, text.count)
        skipBytes -= place
        while let event = scanner.next(text, from: &place) { take(event, text, &batch) }
    }

    private func take(_ event: CSVEvent, _ piece: Span<UInt8>, _ batch: inout RowBatch) {
        switch event {
        case .rejected(let line, let reason):
            batch.rejections.append(RowRejection(line: line, reason: reason))
        case .record(let line, _) where scanner.cellCount != header.columns.count:
            batch.rejections.append(
                RowRejection(
                    line: line,
                    reason: .columnCount(
                        found: scanner.cellCount, expected: header.columns.count)))
        case .record(let line, let range?):
            add(line, scanner.cells, piece.extracting(range), header, &batch)
        case .record(let line, nil):
            add(line, scanner.cells, scanner.carry.span, header, &batch)
        }
    }

    private func add(
        _ line: Int, _ cells: [CSVCell], _ record: Span<UInt8>, _ header: CSVHeader,
        _ batch: inout RowBatch
    ) {
        do throws(RowProblem) {
            batch.rows.append(try row(line, cells, record, header))
        } catch {
            let id = header.idIndex.flatMap { cells[$0].isEmpty ? nil : record.text(of: cells[$0]) }
            batch.rejections.append(
                RowRejection(
                    line: line, id: id.map(FileID.objectID(for:)), reason: error.reason))
        }
    }

    private func row(
        _ line: Int, _ cells: [CSVCell], _ record: Span<UInt8>, _ header: CSVHeader
    ) throws(RowProblem) -> ImportRow {
        let position: LonLat
        var geometry: JSONValue?
        switch header.place {
        case .coordinates(let lon, let lat):
            position = try self.position(lon, lat, cells, record)
        case .geometry(let index):
            (position, geometry) = try place(cells[index], record, header.columns[index])
        }
        var members: [JSONObject.Member] = []
        // Two more: the source's id or a geometry, and the place that the writing side adds.
        members.reserveCapacity(header.fields.count + 2)
        for field in header.fields {
            let cell = cells[field.index]
            guard !cell.isEmpty else { continue }
            let type = field.isKind ? .text : plan.types[field.index]
            members.append(
                JSONObject.Member(
                    key: field.name, value: try value(cell, record, type, field.index)))
        }
        // The header gives every column a name of its own.
        var fields = JSONObject(new: members)
        if let geometry { fields["geometry"] = geometry }
        var id: String?
        if let index = header.idIndex, !cells[index].isEmpty {
            let text = try text(cells[index], record, index)
            if cells[index].hasDoubledQuotes || !FileID.isPlain(record, cells[index].range) {
                fields["sourceId"] = .string(text)
                id = FileID.objectID(for: text)
            } else {
                id = text
            }
        }
        return ImportRow(line: line, id: id, position: position, fields: fields)
    }

    private func position(
        _ lonColumn: CSVHeader.Coordinate, _ latColumn: CSVHeader.Coordinate, _ cells: [CSVCell],
        _ record: Span<UInt8>
    ) throws(RowProblem) -> LonLat {
        var lon = try coordinate(cells[lonColumn.index], record, lonColumn, .lon)
        var lat = try coordinate(cells[latColumn.index], record, latColumn, .lat)
        if let transform {
            guard let turned = transform.degrees(east: lon, north: lat) else {
                throw RowProblem(.geoJSON(.outsideCRS(code: transform.crs.text)))
            }
            (lon, lat) = turned
        }
        do throws(CoordinateError) {
            return try LonLat(lon: lon, lat: lat)
        } catch {
            let index = if case .longitude = error { lonColumn.index } else { latColumn.index }
            throw RowProblem(.outOfRange(column: header.columns[index], lon: lon, lat: lat))
        }
    }

    private func coordinate(
        _ cell: CSVCell, _ record: Span<UInt8>, _ column: CSVHeader.Coordinate,
        _ axis: CoordinateNames.Axis
    ) throws(RowProblem) -> Double {
        let name = header.columns[column.index]
        let range = record.trimmed(cell.range)
        guard !range.isEmpty else { throw RowProblem(.noPlace(column: name)) }
        if column.notation == .decimalPoint, let number = DecimalNumber(record, range) {
            return number.value
        }
        let bytes = record.bytes(of: cell)
        guard
            let value = column.notation.value(
                bytes.span, bytes.span.trimmed(bytes.indices), axis)
        else {
            throw RowProblem(.notACoordinate(column: name, wanted: column.notation.expectation))
        }
        return value
    }

    /// The place of a geometry, and the geometry itself unless it is that place.
    private func place(
        _ cell: CSVCell, _ record: Span<UInt8>, _ column: String
    ) throws(RowProblem) -> (LonLat, JSONValue?) {
        guard !record.trimmed(cell.range).isEmpty else {
            throw RowProblem(.noPlace(column: column))
        }
        guard let read = WKTReader.geometry(record.bytes(of: cell)) else {
            throw RowProblem(.notACoordinate(column: column, wanted: "a geometry in WKT"))
        }
        let crs = options.crs ?? .wgs84
        if let srid = read.srid, srid != Int(crs.number) {
            throw RowProblem(.otherCRS(column: column, srid: srid, expected: crs.text))
        }
        let geometry: JSONValue
        let located: Shape?
        do throws(GeoJSONError) {
            geometry = try transform?.applied(to: read.json) ?? read.json
            located = geometry.isNull ? nil : try GeometryReader(.stated).shape(of: geometry)
        } catch {
            if case .position(let lon, let lat) = error {
                throw RowProblem(.outOfRange(column: column, lon: lon, lat: lat))
            }
            throw RowProblem(.geoJSON(error))
        }
        guard let shape = located else { throw RowProblem(.noPlace(column: column)) }
        if case .point(let position) = shape,
            geometry["coordinates"]?.arrayValue?.count == 2
        {
            return (position, nil)
        }
        guard let position = finder.position(on: shape) else {
            throw RowProblem(.noPlace(column: column))
        }
        return (position, geometry)
    }

    private func value(
        _ cell: CSVCell, _ record: Span<UInt8>, _ type: ColumnType, _ column: Int
    ) throws(RowProblem) -> JSONValue {
        switch type {
        case .number:
            // The survey has read the same bytes, so the text below is for a file that changed
            // between the readings.
            if let number = DecimalNumber(record, cell.range, point: header.point) {
                return number.integer.map { .integer($0) } ?? .number(number.value)
            }
        case .boolean:
            if let flag = record.booleanValue(cell.range) { return .bool(flag) }
        case .text: break
        }
        return .string(try text(cell, record, column))
    }

    private func text(
        _ cell: CSVCell, _ record: Span<UInt8>, _ column: Int
    ) throws(RowProblem) -> String {
        guard let text = record.text(of: cell) else {
            throw RowProblem(.notUTF8(column: header.columns[column]))
        }
        return text
    }
}

/// A reason on its way out of the reading of a row, with the row's id where it is known.
struct RowProblem: Error {
    let reason: RejectionReason
    let id: String?

    init(_ reason: RejectionReason, id: String? = nil) {
        self.reason = reason
        self.id = id
    }
}
