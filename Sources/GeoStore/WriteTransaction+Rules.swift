import JSONText

extension WriteTransaction {
    /// An object as its class's rules have it: with the counters that the service keeps, and the
    /// access list that its audience asks for, whatever was sent.
    ///
    /// - Throws: ``RuleError``, ``StoreError``.
    /// - Complexity: O(1) without rules.
    func asRuled(_ document: Document, replacing before: Document?) throws -> Document {
        guard let duties = writer.catalog.rules?[document.className] else { return document }
        var ruled = document
        if let maker = duties.madeBy, !writer.isMakingByRules {
            guard let before else {
                throw RuleError.madeByRules(className: document.className)
            }
            ruled.acl = before.acl
            ruled.fields[maker.rule.users] = before.fields[maker.rule.users]
        }
        guard let rules = duties.rules else { return ruled }
        for rule in rules.counts {
            ruled.fields[rule.counter] =
                if let before {
                    before.fields[rule.counter]
                } else {
                    .integer(try amount(rule, of: document.objectId))
                }
        }
        if let access = try rules.access(to: ruled) { ruled.acl = access }
        return ruled
    }

    /// Does what rules ask for after an object was written: claims its keys, counts it, and makes
    /// what is made when two users name each other.
    ///
    /// - Throws: ``RuleError``, ``StoreError``; the write is to be undone then.
    /// - Complexity: O(1) without rules, else O(rules · log n).
    mutating func follow(_ before: Document?, _ after: Document) throws {
        guard let duties = writer.catalog.rules?[after.className] else { return }
        if let rules = duties.rules {
            let progress = duties.progress
            if progress?.claimsValues ?? true { try claimValues(rules, before, after) }
            if progress?.claimsNamings ?? true {
                try claimNaming(rules, before, after, matches: progress?.matches ?? true)
            }
        }
        for rule in duties.counted where isCounted(after.objectId, rule) {
            let former = before.flatMap { standing($0, rule) }
            let present = try rule.counting(after).map {
                Contribution(counter: $0, amount: try rule.amount(of: after))
            }
            guard former != present else { continue }
            if let former { try add(0 &- former.amount, to: former.counter, rule) }
            guard let present else { continue }
            let sum = try add(present.amount, to: present.counter, rule)
            guard sum.magnitude <= CountRule.greatestSummand else {
                throw RuleError.counterTooLarge(className: rule.target, field: rule.counter)
            }
        }
    }

    /// Does what rules ask for after an object was deleted; its keys are gone by then.
    mutating func follow(deletionOf before: Document) throws(StoreError) {
        guard let duties = writer.catalog.rules?[before.className] else { return }
        if let rules = duties.rules, let mutual = rules.mutual,
            let pair = UserPair(of: before, owner: rules.owner, mutual)
        {
            try unmake(pair, before.className, mutual)
        }
        for rule in duties.counted where isCounted(before.objectId, rule) {
            guard let former = standing(before, rule) else { continue }
            try add(0 &- former.amount, to: former.counter, rule)
        }
    }

    // MARK: Counters

    /// What an object adds to whose counter.
    private struct Contribution: Equatable {
        let counter: String
        let amount: Int64
    }

    /// What an object that was counted has added.
    private func standing(_ document: Document, _ rule: CountRule) -> Contribution? {
        guard let counter = rule.counting(document) else { return nil }
        // It was judged when it was counted.
        return Contribution(counter: counter, amount: (try? rule.amount(of: document)) ?? 0)
    }

    private func isCounted(_ objectId: String, _ rule: CountRule) -> Bool {
        writer.catalog.rules?[rule.target]?.progress?.counts(rule.place, objectId) ?? true
    }

    /// What a counter has come to.
    func amount(_ rule: CountRule, of objectId: String) throws(StoreError) -> Int64 {
        guard let schema = writer.catalog[rule.target] else { return 0 }
        return try writer.counts.amount(rule.counter, class: schema.number, id: objectId)
    }

    /// Adds to a counter and shows it in the object, when that is there, and gives the sum. Sums
    /// wrap, so that what is taken away again leaves what was.
    @discardableResult
    private mutating func add(
        _ amount: Int64, to objectId: String, _ rule: CountRule
    ) throws(StoreError) -> Int64 {
        guard let schema = writer.catalog[rule.target] else { return 0 }
        let sum = try self.amount(rule, of: objectId) &+ amount
        try writer.counts.set(rule.counter, class: schema.number, id: objectId, to: sum)
        guard let before = try object(rule.target, objectId),
            before.fields[rule.counter] != .integer(sum)
        else { return sum }
        var after = before
        after.fields[rule.counter] = .integer(sum)
        after.updatedAt = max(.now(), before.updatedAt)
        try rewrite(before, as: after, schema)
        return sum
    }

    /// Counts an object that was there before the rule, without showing it.
    func count(_ document: Document, _ rule: CountRule) throws {
        guard let schema = writer.catalog[rule.target], let counter = rule.counting(document)
        else { return }
        let sum = try amount(rule, of: counter) &+ rule.amount(of: document)
        guard sum.magnitude <= CountRule.greatestSummand else {
            throw RuleError.counterTooLarge(className: rule.target, field: rule.counter)
        }
        try writer.counts.set(rule.counter, class: schema.number, id: counter, to: sum)
    }

    // MARK: Keys

    /// Gives an object the keys of its unique values and takes those of its former ones.
    mutating func claimValues(
        _ rules: ClassRules, _ before: Document?, _ after: Document
    ) throws {
        for fields in rules.unique {
            let former = try before.flatMap { try RuleKeys.unique(fields, of: $0) }
            let present = try RuleKeys.unique(fields, of: after)
            guard former != present else { continue }
            if let former {
                try release(former, of: after.className, objectId: after.objectId)
            }
            if let present { try claim(present, of: fields, after) }
        }
    }

    /// Gives an object a key, or tells who has it.
    mutating func claim(
        _ key: UniqueKey, of fields: [String], _ document: Document
    ) throws {
        do {
            try claim(key, for: document.objectId, of: document.className)
        } catch StoreError.keyTaken(_, let other) {
            throw RuleError.duplicate(
                className: document.className, fields: fields, objectId: document.objectId,
                by: other)
        }
    }
}
