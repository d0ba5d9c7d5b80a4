import GeoStore
import JSONText

/// `GET /classes/C`: the objects of a class that the caller may read.
struct FindObjects: ReadOperation {
    private let className: String
    private let parameters: FindParameters
    private let condition: Where?
    private let writer: AnswerWriter
    private var caller: ParseCaller { writer.caller }

    /// A short page of objects that nothing costly is asked about; how much is read to find them
    /// shows then.
    var isQuick: Bool {
        parameters.skip + parameters.limit <= Self.pageLength && !parameters.wantsCount
            && !parameters.isByScore && (condition?.isCheap ?? true) && writer.shape.followsNothing
    }
    let readsClass = true

    /// How many objects are held at a time.
    private static let pageLength = 100
    /// How long an object mostly is at most.
    private static let usualBytes = 400

    /// What the objects are read for: who asks for the count alone need not be allowed to see them.
    private var operation: ClassPermissions.Operation {
        parameters.limit == 0 && parameters.wantsCount ? .count : .find
    }

    /// - Throws: As ``ClassAccess/checkListing(_:_:)``, ``AskedFields/check(_:of:for:)``,
    ///   ``FindParameters/init(_:)``, ``AnswerShape/init(_:)``,
    ///   ``ParseCaller/condition(_:of:)`` and ``ObjectView/check(_:on:)``.
    init(_ className: String, _ parameters: JSONObject, _ caller: ParseCaller) throws {
        try ClassAccess.checkListing(className, caller)
        self.className = className
        try AskedFields.check(parameters, of: className, for: caller)
        self.parameters = try FindParameters(parameters)
        writer = AnswerWriter(try AnswerShape(parameters), caller)
        condition = try caller.condition(self.parameters.condition, of: className)
        try caller.view.check(operation, on: className)
        if self.parameters.wantsCount { try caller.view.check(.count, on: className) }
    }

    func isQuick(in reader: borrowing Reader) -> Bool { true }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.check()
        let selection = try select(in: reader)
        var room: [UInt8] = []
        room.reserveCapacity(min(selection.ids.count, Self.pageLength) * Self.usualBytes)
        var json = JSONWriter(into: room)
        json.beginObject()
        json.key("results")
        json.beginArray()
        try write(selection, of: reader, to: &json, &budget)
        json.endArray()
        if parameters.wantsCount {
            json.key("count")
            json.integer(Int64(try count(selection, in: reader)))
        }
        json.endObject()
        try budget.take(json.bytes.count)
        return ParseAnswer(json.bytes)
    }

    /// How many match, of those that the caller may count: not always those that he may find.
    private func count(
        _ selection: ObjectSelection, in reader: borrowing Reader
    ) throws -> Int {
        if let count = selection.count { return count }
        guard condition != nil else {
            return try reader.count(
                of: className, in: caller.view.scope(of: className, for: .count))
        }
        var query = ObjectQuery(className, condition, limit: 0)
        query.wantsCount = true
        let access = caller.queryAccess(for: .count, of: className)
        return try reader.select(query, for: access).count ?? 0
    }

    /// Whether the objects that are read are those that may be counted.
    private var countsWhatItReads: Bool {
        caller.view.limit(of: operation, on: className)
            == caller.view.limit(of: .count, on: className)
    }

    private func select(in reader: borrowing Reader) throws -> ObjectSelection {
        var query = ObjectQuery(className, condition, limit: parameters.limit)
        query.order = caller.view.order(
            parameters.order, placedBy: caller.catalog[className]?.geoPointField)
        query.isByScore = parameters.isByScore
        query.skip = parameters.skip
        // Without a condition the store counts by itself.
        query.wantsCount = parameters.wantsCount && condition != nil && countsWhatItReads
        let selection = try reader.select(
            query, for: caller.queryAccess(for: operation, of: className))
        caller.indexes.note(selection, of: className, condition, caller.identity)
        return selection
    }

    private func write(
        _ selection: ObjectSelection, of reader: borrowing Reader, to json: inout JSONWriter,
        _ budget: inout AnswerBudget
    ) throws {
        if let objects = selection.objects {
            return try writer.write(objects, of: reader, to: &json, &budget)
        }
        let access = caller.queryAccess(for: .find, of: className)
        var rest = selection.ids[...]
        while !rest.isEmpty {
            // One snapshot of the store lies below all reads, so nothing has gone meanwhile.
            let page = try reader.found(className, ids: rest.prefix(Self.pageLength), for: access)
            try writer.write(page, of: reader, to: &json, &budget)
            rest = rest.dropFirst(Self.pageLength)
        }
    }
}
