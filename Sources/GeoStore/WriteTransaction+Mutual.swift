import JSONText

/// What two users share when each has named the other.
extension WriteTransaction {
    /// Keeps who names whom by an object, and parts those who do no longer.
    ///
    /// - Parameter matches: Whether two who name each other get what they share now.
    mutating func claimNaming(
        _ rules: ClassRules, _ before: Document?, _ after: Document, matches: Bool
    ) throws {
        guard let mutual = rules.mutual, let owner = rules.owner else { return }
        let former = UserPair(of: before, owner: owner, mutual)
        let present = UserPair(of: after, owner: owner, mutual)
        guard former != present else { return }
        if let former {
            try release(
                RuleKeys.naming(former, in: after.className), of: after.className,
                objectId: after.objectId)
            try unmake(former, after.className, mutual)
        }
        guard let present else { return }
        try claim(
            RuleKeys.naming(present, in: after.className), of: [owner, mutual.field], after)
        if matches { try make(present, after.className, mutual) }
    }

    /// Makes what an object's owner shares with the one named, when that one names the owner, too.
    mutating func match(_ document: Document, _ rules: ClassRules) throws {
        guard let mutual = rules.mutual,
            let pair = UserPair(of: document, owner: rules.owner, mutual)
        else { return }
        try make(pair, document.className, mutual)
    }

    /// Makes what two users share when each has named the other.
    private mutating func make(
        _ pair: UserPair, _ className: String, _ rule: MutualRule
    ) throws {
        let key = RuleKeys.made(rule.made, for: pair, by: className)
        guard try holder(of: RuleKeys.naming(pair.reversed, in: className)) != nil,
            try holder(of: key) == nil
        else { return }
        var access = AccessList()
        for id in pair.ids { access[id] = [.read, .write] }
        let users: [JSONValue] = pair.sorted.ids.map {
            ["__type": "Pointer", "className": "_User", "objectId": .string($0)]
        }
        let document = Document(
            className: rule.made, objectId: ObjectID.random(), createdAt: .now(), acl: access,
            fields: [rule.users: .array(users)])
        writer.isMakingByRules = true
        defer { writer.isMakingByRules = false }
        try insert(document)
        try claim(key, for: document.objectId, of: rule.made)
    }

    /// Deletes what two users shared.
    mutating func unmake(
        _ pair: UserPair, _ className: String, _ rule: MutualRule
    ) throws(StoreError) {
        guard let made = try holder(of: RuleKeys.made(rule.made, for: pair, by: className)) else {
            return
        }
        try delete(made.className, made.objectId)
    }
}
