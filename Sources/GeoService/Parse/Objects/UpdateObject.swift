import GeoStore
import JSONText

/// `PUT /classes/C/id`: changes some fields of an object and leaves the others.
struct UpdateObject: WriteOperation {
    private let className: String
    private let objectId: String
    private let changes: ObjectChanges
    private let caller: ParseCaller
    /// What the class adds.
    private let rules: (any WriteRules)?

    /// - Throws: As ``ClassAccess/check(_:_:)`` and ``ObjectChanges/init(updating:body:)``.
    init(
        _ className: String, _ objectId: String, _ body: JSONObject, _ caller: ParseCaller,
        rules: (any WriteRules)? = nil
    ) throws {
        try ClassAccess.check(className, for: .update, caller)
        self.className = className
        self.objectId = objectId
        changes = try ObjectChanges(updating: objectId, body: body)
        self.caller = caller
        self.rules = rules
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        guard
            let before = try transaction.object(className, objectId).flatMap({
                caller.view.writable($0, for: .update)
            })
        else { throw ParseError.objectNotFound }
        try caller.view.checkAddedFields(
            changes, to: className, former: before, in: transaction.catalog)
        var after = before
        var answered = try changes.apply(
            to: &after.fields, of: className, transaction.catalog[className], isNew: false)
        after = caller.view.keptCoarse(before, after)
        try FieldRules(transaction.classSettings(className))
            .check(after.fields, changed: changes.fields)
        after.acl = changes.apply(to: before.acl)
        // A clock that was set back must not make an object older than it was.
        after.updatedAt = max(Timestamp.now(), before.updatedAt)
        try rules?.complete(&after, replacing: before, in: transaction)
        try OwnerRule.check(after, replacing: before, caller, in: transaction.catalog)
        try transaction.replace(before, with: after)
        try changes.relate(after, in: &transaction)
        // Who may write and not read learns nothing of what there is.
        try OwnerRule.correct(&answered, of: className, objectId, in: transaction)
        let seen = caller.view.shown(after)?.fields ?? [:]
        answered.removeValues(forKeys: answered.keys.filter { !seen.contains($0) })
        for member in try rules?.stored(after, replacing: before, in: &transaction) ?? [:] {
            answered[member.key] = member.value
        }
        var json = JSONWriter()
        json.beginObject()
        json.key("updatedAt")
        json.string(after.updatedAt.description)
        for member in answered {
            json.key(member.key)
            json.value(member.value)
        }
        json.endObject()
        return ParseAnswer(json.bytes)
    }
}
