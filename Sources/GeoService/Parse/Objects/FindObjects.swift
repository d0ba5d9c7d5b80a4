import GeoStore
import JSONText

/// `GET /classes/C`: the objects of a class that the caller may read.
struct FindObjects: ReadOperation {
    private let className: String
    private let parameters: FindParameters
    private let caller: ParseCaller

    let isQuick = false

    /// How many objects are held at a time.
    private static let pageLength = 100

    /// - Throws: As ``ClassAccess/check(_:_:)`` and ``FindParameters/init(_:)``.
    init(
        _ className: String, _ parameters: JSONObject, _ caller: ParseCaller
    ) throws(ParseError) {
        try ClassAccess.checkListing(className, caller)
        self.className = className
        try AskedFields.check(parameters, of: className, for: caller)
        self.parameters = try FindParameters(parameters)
        // Who asks for the count alone need not be allowed to see the objects.
        if self.parameters.limit > 0 || !self.parameters.wantsCount {
            try caller.view.check(.find, on: className)
        }
        if self.parameters.wantsCount { try caller.view.check(.count, on: className) }
        self.caller = caller
    }

    func isQuick(in reader: borrowing Reader) -> Bool { false }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.check()
        var json = JSONWriter()
        json.beginObject()
        json.key("results")
        json.beginArray()
        if parameters.limit > 0 {
            let ids = try reader.objectIds(
                of: className,
                orderedBy: caller.view.order(
                    parameters.order, placedBy: try reader.geoPointField(of: className)),
                in: caller.view.scope(of: className), skip: parameters.skip, limit: parameters.limit
            )
            try write(ids[...], of: reader, to: &json, &budget)
        }
        json.endArray()
        if parameters.wantsCount {
            json.key("count")
            json.integer(
                Int64(
                    try reader.count(
                        of: className, in: caller.view.scope(of: className, for: .count))))
        }
        json.endObject()
        try budget.take(json.bytes.count)
        return ParseAnswer(json.bytes)
    }

    private func write(
        _ ids: ArraySlice<String>, of reader: borrowing Reader, to json: inout JSONWriter,
        _ budget: inout AnswerBudget
    ) throws {
        let writer = ObjectWriter(links: caller.links)
        var rest = ids
        while !rest.isEmpty {
            // One snapshot of the store lies below both reads, so nothing has gone meanwhile.
            for document in try reader.objects(className, ids: Array(rest.prefix(Self.pageLength)))
            {
                guard let document = document.flatMap({ caller.view.shown($0, for: .find) }) else {
                    continue
                }
                writer.write(document, to: &json)
                try budget.check(json.bytes.count)
            }
            rest = rest.dropFirst(Self.pageLength)
        }
    }
}
