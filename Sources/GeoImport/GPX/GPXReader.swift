import GeoIndex
import JSONText

/// Puts the elements of a GPX document together to rows.
final class GPXReader {
    /// What an open element is.
    private enum Element {
        case root, waypoint, route, track, segment
        /// A point of a route or track.
        case linePoint
        /// A member of a waypoint, route or track, whose text becomes a field.
        case member(String)
        /// Something inside `extensions`.
        case extensions(String)
        /// The height of a point of a line.
        case height
        case passedOver
    }

    /// The longest text of one member.
    private static let maxTextBytes = 64 << 10
    /// The most positions of one route or track.
    static let maxPositions = 200_000
    /// The most members of one object.
    private static let maxMembers = 200

    private static let numbers: Set<String> = [
        "ele", "magvar", "geoidheight", "sat", "hdop", "vdop", "pdop", "ageofdgpsdata", "dgpsid",
        "number", "speed", "course",
    ]

    private let options: ImportOptions
    private let finder = InteriorPointFinder()
    private var open: [Element] = []
    private var text: [UInt8] = []
    private var item: GPXItem?
    private var batch = RowBatch()
    private var unreadTimes = 0
    private var problem: ImportError?
    /// Whether the root element was seen.
    private(set) var hasBegun = false

    init(options: ImportOptions) { self.options = options }

    var notes: [String] {
        unreadTimes == 0
            ? [] : ["\(unreadTimes) times are not written as GPX asks and were left out"]
    }

    /// Gives the finished rows away.
    func hand(over other: inout RowBatch) {
        other.rows += batch.rows
        other.rejections += batch.rejections
        batch.removeAll()
    }

    /// Throws when the document is none of GPX.
    func check() throws(ImportError) { if let problem { throw problem } }

    // MARK: - Elements

    func start(_ name: String, _ attributes: [String: String], _ line: Int) {
        text.removeAll(keepingCapacity: true)
        let local = name.split(separator: ":").last.map(String.init) ?? name
        open.append(element(local, attributes, line))
    }

    func text(_ bytes: Span<UInt8>) {
        switch open.last {
        case .member, .extensions, .height:
            guard text.count + bytes.count <= GPXReader.maxTextBytes else {
                item?.fail(.tooLong(limitBytes: GPXReader.maxTextBytes))
                return
            }
            text.append(bytes, 0..<bytes.count)
        default: break
        }
    }

    func end() {
        guard let element = open.popLast() else { return }
        switch element {
        case .waypoint, .route, .track: finishItem()
        case .member(let name): add(name, takeText())
        case .extensions(let name):
            // Only what has a text of its own: the elements round it have none left.
            let words = takeText()
            if !words.isEmpty { item?.add(name, .string(words), limit: GPXReader.maxMembers) }
        case .height:
            let height = number(takeText())
            item?.height = height
        case .linePoint: item?.endPosition(limit: GPXReader.maxPositions)
        case .segment: item?.endSegment()
        case .root, .passedOver: break
        }
        text.removeAll(keepingCapacity: true)
    }

    private func element(_ name: String, _ attributes: [String: String], _ line: Int) -> Element {
        switch (open.last, name) {
        case (.none, "gpx"):
            hasBegun = true
            return .root
        case (.none, _):
            hasBegun = true
            problem = .xml(line: line, reason: "the document's element is not gpx")
            return .passedOver
        case (.root, "wpt"):
            item = GPXItem(.waypoint, line: line)
            if let place = position(attributes, "wpt") { item?.positions.append(place) }
            return .waypoint
        case (.root, "rte"):
            item = GPXItem(.route, line: line)
            return .route
        case (.root, "trk"):
            item = GPXItem(.track, line: line)
            return .track
        case (.track, "trkseg"): return .segment
        case (.route, "rtept"), (.segment, "trkpt"):
            // First, since a wrong one changes the item itself.
            let place = position(attributes, name)
            item?.pending = place
            item?.height = nil
            return .linePoint
        case (.linePoint, "ele"): return .height
        case (.waypoint, "extensions"), (.route, "extensions"), (.track, "extensions"):
            return .extensions(name)
        case (.extensions, _): return .extensions(name)
        case (.waypoint, "link"), (.route, "link"), (.track, "link"):
            if let address = attributes["href"] { add("link", address) }
            return .passedOver
        case (.waypoint, _), (.route, _), (.track, _): return .member(name)
        default: return .passedOver
        }
    }

    private func position(_ attributes: [String: String], _ element: String) -> LonLat? {
        guard let lon = number(attributes["lon"]), let lat = number(attributes["lat"]) else {
            item?.fail(.pointWithoutCoordinates(element: element))
            return nil
        }
        do throws(CoordinateError) {
            return try LonLat(lon: lon, lat: lat)
        } catch {
            let column = if case .longitude = error { "lon" } else { "lat" }
            item?.fail(.outOfRange(column: column, lon: lon, lat: lat))
            return nil
        }
    }

    private func number(_ text: String?) -> Double? {
        guard let text else { return nil }
        let bytes = Array(text.utf8)
        return DecimalNumber(bytes.span, bytes.span.trimmed(bytes.indices))?.value
    }

    private func takeText() -> String {
        let space: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let trimmed = text.drop(while: space).reversed().drop(while: space).reversed()
        return String(decoding: Array(trimmed), as: UTF8.self)
    }

    private func add(_ name: String, _ words: String) {
        guard !words.isEmpty else { return }
        let value: JSONValue?
        if name == "time" {
            value = GPXTime.date(words)
            if value == nil { unreadTimes += 1 }
        } else if GPXReader.numbers.contains(name) {
            let bytes = Array(words.utf8)
            value = DecimalNumber(bytes.span, bytes.indices).map { number in
                number.integer.map { .integer($0) } ?? .number(number.value)
            }
        } else {
            value = .string(words)
        }
        if let value { item?.add(name, value, limit: GPXReader.maxMembers) }
    }

    // MARK: - Rows

    private func finishItem() {
        guard let item else { return }
        self.item = nil
        let id = options.idColumn.flatMap { item.text(of: $0) }
        let objectID = id.map(FileID.objectID(for:))
        func reject(_ reason: RejectionReason) {
            batch.reject(item.line, reason, id: objectID)
        }
        if let reason = item.problem { return reject(reason) }
        var fields = item.fields(idName: options.idColumn, kindName: options.kindColumn)
        let position: LonLat?
        if item.type == .waypoint {
            position = item.positions.first
        } else {
            // One without points is valid, and as in GeoJSON an object without a place.
            position = item.shape.flatMap { finder.position(on: $0) }
            if position != nil { fields["geometry"] = item.geometry }
        }
        if let id, objectID != id { fields["sourceId"] = .string(id) }
        batch.rows.append(
            ImportRow(line: item.line, id: objectID, position: position, fields: fields))
    }
}
