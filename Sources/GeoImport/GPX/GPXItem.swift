import GeoIndex
import JSONText

/// A waypoint, route or track while it is read.
struct GPXItem {
    /// What it is; the raw value becomes its `kind`.
    enum Kind: String { case waypoint, route, track }

    let type: Kind
    let line: Int
    /// The place of a waypoint, or the points of the segment that is open.
    var positions: [LonLat] = []
    /// The point that is open, and its height in metres.
    var pending: LonLat?
    var height: Double?
    /// Why it cannot be taken: the first reason.
    private(set) var problem: RejectionReason?

    private var segments: [[LonLat]] = []
    private var heights: [Double] = []
    private var count = 0
    private var members: [(name: String, value: JSONValue)] = []

    init(_ type: Kind, line: Int) {
        self.type = type
        self.line = line
    }

    mutating func fail(_ reason: RejectionReason) { problem = problem ?? reason }

    mutating func add(_ name: String, _ value: JSONValue, limit: Int) {
        if members.count < limit { members.append((name, value)) }
    }

    /// Ends a point of a line.
    mutating func endPosition(limit: Int) {
        guard let place = pending else { return }
        pending = nil
        guard count < limit else {
            // What is too long is not kept.
            segments = []
            positions = []
            return fail(.tooManyPositions(limit: limit))
        }
        count += 1
        positions.append(place)
        if let height { heights.append(height) }
    }

    /// Ends a segment of a track.
    mutating func endSegment() {
        if !positions.isEmpty { segments.append(positions) }
        positions = []
    }

    private var lines: [[LonLat]] { positions.isEmpty ? segments : segments + [positions] }

    /// The shape of a route or track; nil when it has no points.
    var shape: Shape? {
        let parts = lines.map { $0.count == 1 ? Shape.point($0[0]) : .line($0) }
        return parts.isEmpty ? nil : .collection(parts)
    }

    /// The shape as a GeoJSON geometry, of which segments of one point are no part unless there
    /// are no others.
    var geometry: JSONValue {
        let hasHeights = heights.count == count
        var index = 0
        var single: JSONValue?
        var texts: [JSONValue] = []
        for line in lines {
            var positions: [JSONValue] = []
            positions.reserveCapacity(line.count)
            for place in line {
                var numbers: [JSONValue] = [.number(place.lon), .number(place.lat)]
                if hasHeights { numbers.append(.number(heights[index])) }
                index += 1
                positions.append(.array(numbers))
            }
            if positions.count == 1 { single = positions[0] }
            if positions.count > 1 { texts.append(.array(positions)) }
        }
        if texts.isEmpty, let single { return ["type": "Point", "coordinates": single] }
        return type == .route && texts.count == 1
            ? ["type": "LineString", "coordinates": texts[0]]
            : ["type": "MultiLineString", "coordinates": .array(texts)]
    }

    /// The text of a member, for an id.
    func text(of name: String) -> String? {
        switch members.first(where: { $0.name == name })?.value {
        case .string(let text)?: text
        case .integer(let number)?: String(number)
        default: nil
        }
    }

    /// The members as fields, without the one that is the id. The kind is the member of that name,
    /// or, when none is named, what the item is.
    func fields(idName: String?, kindName: String?) -> JSONObject {
        var fields = JSONObject()
        if kindName == nil { fields["kind"] = .string(type.rawValue) }
        for (index, member) in members.enumerated() where member.name != idName {
            if member.name == kindName {
                if !fields.contains("kind"), case .string = member.value {
                    fields["kind"] = member.value
                }
                continue
            }
            let name = FieldNames.field(for: member.name, number: index + 1)
            var free = name
            var copy = 2
            while fields.contains(free) || free == "kind" {
                free = "\(name)_\(copy)"
                copy += 1
            }
            fields[free] = member.value
        }
        return fields
    }
}
