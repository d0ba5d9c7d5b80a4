import GeoIndex
import GeoStore
import JSONText

/// The parameters that every map endpoint takes, and the checking that all of them share.
struct MapQuery {
    /// Parameters of every map endpoint.
    private static let common = ["kind", "since", "until", "where"]
    /// How many kinds one request may name.
    private static let kindLimit = 100

    let items: [(name: String, value: String)]
    /// Which objects the question is about. With a ``condition`` its test lets nothing pass: the
    /// one that does its work is given by ``ObjectReader/ask(_:_:_:)``.
    let filter: EntryFilter
    /// The `where`, if there is one.
    let condition: Where?
    /// Who asks.
    let viewer: Viewer
    /// The request's one reading of the clock.
    let now: Timestamp

    /// Reads the query of a request.
    ///
    /// - Parameters:
    ///   - own: The endpoint's own parameters; any other name is refused, so that a misspelt
    ///     filter never shows what it should have hidden.
    ///   - isFiltered: Whether the answer is about the objects that the common filters keep.
    ///   - viewer: Who asks; ``Viewers`` found out.
    ///   - isMap: Whether the answer is a map, for which an address may have a token.
    ///   - now: The request's one reading of the clock.
    /// - Throws: ``Problem`` (400) naming the parameter.
    init(
        _ request: Request, _ viewer: Viewer, own: [String], isFiltered: Bool = true,
        isMap: Bool = true, now: Timestamp
    ) throws(Problem) {
        try self.init(
            items: request.queryItems(), layer: request.pathValue("layer"), viewer, own: own,
            isFiltered: isFiltered, isMap: isMap, now: now)
    }

    /// Reads parameters, of a request or of a command.
    ///
    /// - Parameter layer: The layer that they are about, which a `where` may name.
    /// - Throws: ``Problem`` (400) naming the parameter.
    init(
        items: [(name: String, value: String)], layer: String?, _ viewer: Viewer, own: [String],
        isFiltered: Bool = true, isMap: Bool = true, now: Timestamp
    ) throws(Problem) {
        self.viewer = viewer
        self.items = items
        for item in items {
            let name = item.name
            let isKnown =
                own.contains(name) || isFiltered && MapQuery.common.contains(name)
                || isMap && name == MapTokens.parameter
            guard !isKnown else { continue }
            throw MapQuery.unknown(
                name,
                known: own + (isFiltered ? MapQuery.common : [])
                    + (isMap ? [MapTokens.parameter] : []))
        }
        var filter = EntryFilter()
        if let kinds = items.first(where: { $0.name == "kind" })?.value {
            filter.kinds = try MapQuery.kinds(kinds)
        }
        for item in items where item.name == "since" || item.name == "until" {
            guard let time = RelativeTime.parse(item.value, now: now) else {
                throw .parameter(
                    item.name,
                    "must be a time such as 2026-05-04T03:02:01.000Z or a span such as 90m, 24h "
                        + "or 7d")
            }
            if item.name == "since" {
                filter.since = time.milliseconds
            } else {
                filter.until = time.milliseconds
            }
        }
        condition = try items.first { $0.name == "where" }.flatMap { item throws(Problem) in
            try MapQuery.condition(item.value, of: layer)
        }
        if let condition { filter.test = ObjectTest(name: condition.name) { _ in false } }
        self.filter = filter
        self.now = now
    }

    /// Deeper JSON than any condition needs.
    private static let whereDepth = 64

    /// A compiled `where`; nil for the one that asks nothing, which some clients always send.
    private static func condition(
        _ text: String, of className: String?
    ) throws(Problem) -> Where? {
        let json: JSONValue
        do {
            json = try JSONParser().parse(Array(text.utf8).span, maxDepth: whereDepth)
        } catch {
            throw .parameter("where", "must be a JSON object such as {\"price\":5}: \(error)")
        }
        if json == [:] { return nil }
        do {
            return try Where(json, of: className)
        } catch {
            throw .condition(error)
        }
    }

    private static func unknown(_ name: String, known: [String]) -> Problem {
        if name == "sessionToken" {
            return .parameter(
                name, "is never taken from an address: send the X-Parse-Session-Token header")
        }
        let taken = known.isEmpty ? "none" : known.sorted().joined(separator: ", ")
        return .parameter(name, "is not a parameter of this address; it takes \(taken)")
    }

    private static func kinds(_ text: String) throws(Problem) -> Set<String> {
        let kinds = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard kinds.allSatisfy({ !$0.isEmpty }) else {
            throw .parameter("kind", "must be one kind or several, separated by commas")
        }
        guard kinds.count <= kindLimit else {
            throw .parameter("kind", "names \(kinds.count) kinds; at most \(kindLimit) are taken")
        }
        return Set(kinds)
    }

    /// The text of a parameter.
    func text(_ name: String) -> String? { items.first { $0.name == name }?.value }

    /// The text of a parameter that must be there.
    func required(_ name: String, _ whatIsRight: String) throws(Problem) -> String {
        guard let text = text(name) else { throw .parameter(name, "is missing: it \(whatIsRight)") }
        return text
    }

    /// A whole number in a range.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .parameter(
                name,
                "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A finite number.
    func number(_ name: String) throws(Problem) -> Double? {
        guard let text = text(name) else { return nil }
        guard let number = MapQuery.decimal(text[...]) else {
            throw .parameter(name, "must be a decimal number")
        }
        return number
    }

    /// A finite number in decimal digits; not the hexadecimal that Swift reads too.
    private static func decimal(_ text: Substring) -> Double? {
        let isDecimal = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x2b, 0x2d, 0x2e, 0x45, 0x65: true
            default: false
            }
        }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// `true` or `false`.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch text(name) {
        case nil, "false": return false
        case "true": return true
        default: throw .parameter(name, "must be true or false")
        }
    }

    /// A box `west,south,east,north`.
    func box(_ name: String) throws(Problem) -> BoundingBox? {
        guard let text = text(name) else { return nil }
        let numbers = MapQuery.numbers(text)
        guard let numbers, numbers.count == 4 else {
            throw .parameter(name, "must be four numbers west,south,east,north in degrees")
        }
        do {
            return try BoundingBox(
                west: numbers[0], south: numbers[1], east: numbers[2], north: numbers[3])
        } catch {
            throw .parameter(name, "is no box: \(error)")
        }
    }

    /// A place `lon,lat`.
    func place(_ name: String) throws(Problem) -> RoundedPosition? {
        guard let text = text(name) else { return nil }
        guard let numbers = MapQuery.numbers(text), numbers.count == 2 else {
            throw .parameter(name, "must be two numbers lon,lat in degrees")
        }
        do {
            return RoundedPosition(try LonLat(wrappingLon: numbers[0], lat: numbers[1]))
        } catch {
            throw .parameter(name, "is no place: \(error)")
        }
    }

    private static func numbers(_ text: String) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { decimal($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}

/// Times in queries: absolute, or a span before now that moves in whole minutes.
enum RelativeTime {
    /// The longest span: about a century.
    private static let longestMinutes: Int64 = 52_560_000

    static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        if let absolute = Timestamp(rfc3339: text) { return absolute }
        guard let span = minutes(text) else { return nil }
        return Timestamp(milliseconds: (now.milliseconds / 60_000 - Int64(span)) * 60_000)
    }

    /// The length of a span such as `90m`, `24h`, `7d` or `2w`, in minutes; nil when it is none.
    static func minutes(_ text: String) -> Int? {
        guard let unit = text.last, let amount = Int64(text.dropLast()), amount >= 0 else {
            return nil
        }
        let minutes: (Int64, Bool)
        switch unit {
        case "m": minutes = (amount, false)
        case "h": minutes = amount.multipliedReportingOverflow(by: 60)
        case "d": minutes = amount.multipliedReportingOverflow(by: 1_440)
        case "w": minutes = amount.multipliedReportingOverflow(by: 10_080)
        default: return nil
        }
        guard !minutes.1, minutes.0 <= longestMinutes else { return nil }
        return Int(minutes.0)
    }

    /// The span of so many minutes in its greatest whole unit.
    static func text(ofMinutes minutes: Int) -> String {
        for (unit, length) in [("w", 10_080), ("d", 1_440), ("h", 60)]
        where minutes > 0 && minutes.isMultiple(of: length) {
            return "\(minutes / length)\(unit)"
        }
        return "\(minutes)m"
    }
}
