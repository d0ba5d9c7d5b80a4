import GeoStore
import JSONText

/// `POST /classes/C`: a new object.
struct CreateObject: WriteOperation {
    private let className: String
    private let changes: ObjectChanges
    private let caller: ParseCaller
    /// What the class adds.
    private let rules: (any WriteRules)?

    /// How many made ids may meet one that is taken before the write gives up. With 59 random bits
    /// even one is not to be expected.
    private static let attempts = 4

    /// - Throws: As ``ClassAccess/check(_:_:)`` and ``ObjectChanges/init(creating:)``.
    init(
        _ className: String, _ body: JSONObject, _ caller: ParseCaller,
        rules: (any WriteRules)? = nil
    ) throws {
        try ClassAccess.check(className, for: .create, caller)
        self.className = className
        changes = try ObjectChanges(creating: body)
        self.caller = caller
        self.rules = rules
    }

    func run(in transaction: inout WriteTransaction) throws -> ParseAnswer {
        try ClassAccess.checkCreation(of: className, caller, in: transaction)
        try caller.view.checkAddedFields(
            changes, to: className, former: nil, in: transaction.catalog)
        var fields = JSONObject()
        var answered = try changes.apply(
            to: &fields, of: className, transaction.catalog[className], isNew: true)
        try OwnerRule.complete(
            &fields, answered: &answered, of: className, caller, in: transaction.catalog)
        try FieldRules(transaction.classSettings(className))
            .complete(&fields, answered: &answered)
        var document = Document(
            className: className, objectId: ObjectID.random(), createdAt: Timestamp.now(),
            acl: changes.apply(to: nil), fields: fields)
        for attempt in 1... {
            var complete = document
            try rules?.complete(&complete, replacing: nil, in: transaction)
            try caller.view.checkCreated(complete)
            do {
                try transaction.insert(complete)
                document = complete
                break
            } catch StoreError.objectExists where attempt < Self.attempts {
                document.objectId = ObjectID.random()
            }
        }
        try changes.relate(document, in: &transaction)
        try OwnerRule.correct(&answered, of: className, document.objectId, in: transaction)
        answered.removeValues(forKeys: caller.view.hiddenFields(of: document))
        for member in try rules?.stored(document, replacing: nil, in: &transaction) ?? [:] {
            answered[member.key] = member.value
        }
        return answer(document, answered)
    }

    private func answer(_ document: Document, _ answered: JSONObject) -> ParseAnswer {
        var json = JSONWriter()
        json.beginObject()
        json.key("objectId")
        json.string(document.objectId)
        json.key("createdAt")
        json.string(document.createdAt.description)
        for member in answered {
            json.key(member.key)
            json.value(member.value)
        }
        json.endObject()
        var answer = ParseAnswer(json.bytes)
        answer.status = .created
        answer.location = caller.links.object(className, document.objectId)
        return answer
    }
}
