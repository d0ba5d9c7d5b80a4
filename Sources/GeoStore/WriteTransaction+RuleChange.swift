package import JSONText

extension WriteTransaction {
    /// Sets the rules of a class, which is made when it is not there; nil removes them. They hold
    /// for every write from now on; what is there comes under them by ``advanceRules(of:limit:)``.
    ///
    /// Fields that the rules are about, and that are not there, are made, but for those of unique
    /// lists and of summands: a name that is misspelt must not go unnoticed.
    ///
    /// - Throws: ``RuleError/malformed(_:)``, ``SchemaError`` for fields of other types,
    ///   ``StoreError``.
    package mutating func setRules(of className: String, to json: JSONObject?) throws {
        try writer.requireTransaction()
        var settings = classSettings(className) ?? [:]
        guard settings[ClassRules.settingsName] != json.map({ .object($0) }) else { return }
        var keepsMutual = false
        if let json {
            let rules = try RuleParser.rules(of: className, json)
            keepsMutual = writer.catalog.rules?[className]?.keepsMutual(under: rules) ?? false
            try (writer.catalog.rules ?? RuleBook()).check(rules, of: className)
            try declareFields(of: rules, className)
        }
        settings[ClassRules.settingsName] = json.map { .object($0) }
        settings[RuleProgress.settingsName] =
            RuleProgress(stage: .clearing, keepsMutual: keepsMutual).json
        try setClassSettings(className, settings)
    }

    /// Brings some of what is there under the rules of a class; true when all is. Steps are jobs of
    /// their own, so that other writes go on between them; a step that was lost is done again.
    ///
    /// - Throws: ``RuleError/standing(objectId:_:)`` for an object that does not keep the rules,
    ///   ``StoreError``.
    /// - Complexity: O(bytes of `limit` objects).
    package mutating func advanceRules(of className: String, limit: Int = 500) throws -> Bool {
        try writer.requireTransaction()
        guard var settings = classSettings(className), let progress = RuleProgress(settings),
            let schema = writer.catalog[className]
        else { return true }
        let rules = writer.catalog.rules?[className]?.rules
        let next = try step(progress, rules, schema, limit: max(1, limit))
        settings[RuleProgress.settingsName] = next?.json
        try setClassSettings(className, settings.isEmpty ? nil : settings)
        return next == nil
    }

    private mutating func step(
        _ progress: RuleProgress, _ rules: ClassRules?, _ schema: ClassSchema, limit: Int
    ) throws -> RuleProgress? {
        switch progress.stage {
        case .clearing:
            let counts = try writer.counts.clear(class: schema.number, limit: limit)
            let keys = try writer.keys.delete(
                scopes: RuleKeys.scopes(
                    of: schema.name, keepingNamings: progress.keepsMutual), limit: limit)
            if counts + keys > 0 { return progress }
            guard let rules, rules.concernObjects else { return nil }
            return counting(0, rules, progress)
        case .counting(let place):
            guard let rules, place < rules.counts.count else { return nil }
            let rule = rules.counts[place]
            let last = try forObjects(of: rule.source, after: progress.after, limit: limit) {
                try $0.count($1, rule)
            }
            return last.map { progress.at(progress.stage, after: $0) }
                ?? counting(place + 1, rules, progress)
        case .checking:
            guard let rules else { return nil }
            let last = try forObjects(of: schema.name, after: progress.after, limit: limit) {
                try $0.check($1, rules, progress)
            }
            return progress.at(last == nil ? .settling : .checking, after: last ?? "")
        case .settling:
            guard let rules else { return nil }
            let last = try forObjects(of: schema.name, after: progress.after, limit: limit) {
                try $0.settle($1, rules, schema)
            }
            return last.map { progress.at(.settling, after: $0) }
                ?? (rules.mutual == nil || progress.keepsMutual ? nil : progress.at(.matching))
        case .matching:
            guard let rules else { return nil }
            let last = try forObjects(of: schema.name, after: progress.after, limit: limit) {
                try $0.match($1, rules)
            }
            return last.map { progress.at(.matching, after: $0) }
        }
    }

    private func counting(
        _ place: Int, _ rules: ClassRules, _ progress: RuleProgress
    ) -> RuleProgress {
        progress.at(place < rules.counts.count ? .counting(place) : .checking)
    }

    /// Does something with the next objects of a class, and gives the id of the last; nil when no
    /// more follow.
    private mutating func forObjects(
        of className: String, after: String, limit: Int,
        _ body: (inout WriteTransaction, Document) throws -> Void
    ) throws -> String? {
        guard let schema = writer.catalog[className] else { return nil }
        let rows = try SQLiteStatement(
            writer.connection,
            "SELECT id FROM objects WHERE class = ?1 AND id > ?2 ORDER BY id LIMIT ?3")
        rows.bind(schema.number, at: 1)
        rows.bind(after, at: 2)
        rows.bind(Int64(limit), at: 3)
        var ids: [String] = []
        while try rows.step() { ids.append(rows.text(0)) }
        rows.reset()
        for id in ids {
            guard let document = try object(className, id) else { continue }
            do {
                try body(&self, document)
            } catch let error as RuleError {
                throw RuleError.standing(objectId: id, error)
            }
        }
        return ids.count == limit ? ids.last : nil
    }

    /// Judges an object that is there and gives it its keys.
    private mutating func check(
        _ document: Document, _ rules: ClassRules, _ progress: RuleProgress
    ) throws {
        _ = try rules.access(to: document)
        try claimValues(rules, nil, document)
        if !progress.keepsMutual { try claimNaming(rules, nil, document, matches: false) }
    }

    /// Gives an object that is there its counters and its audience. It keeps its `updatedAt`:
    /// nobody has changed it.
    private mutating func settle(
        _ before: Document, _ rules: ClassRules, _ schema: ClassSchema
    ) throws {
        var after = before
        for rule in rules.counts {
            after.fields[rule.counter] = .integer(try amount(rule, of: before.objectId))
        }
        if let access = try rules.access(to: after) { after.acl = access }
        if after != before { try rewrite(before, as: after, schema) }
    }

    private mutating func declareFields(of rules: ClassRules, _ className: String) throws {
        let user = FieldType.pointer("_User")
        try addClass(className)
        if let owner = rules.owner { try addField(owner, user, to: className) }
        for rule in rules.counts {
            try addField(rule.counter, .number, to: className)
            try addField(rule.pointer, .pointer(className), to: rule.source)
        }
        if let mutual = rules.mutual {
            try addField(mutual.field, user, to: className)
            try addField(mutual.users, .array, to: mutual.made)
        }
        if let audience = rules.audience {
            try addField(audience.field, .string, to: className)
            for field in audience.values.values.compactMap(\.users)
            where writer.catalog[className]?.fields[field] != user {
                try addField(field, .array, to: className)
            }
        }
        var faults: [RuleError.Fault] = []
        for (place, fields) in rules.unique.enumerated() {
            for field in fields {
                let type = writer.catalog[className]?.fields[field]
                // Guessing at values would tell an exact place.
                guard type == nil || type == .geoPoint else { continue }
                let reason = type == nil ? "is none" : "is a place"
                faults.append(
                    .init(
                        member: "unique[\(place)]",
                        message: "must have fields of the class, no places; \(field) \(reason)"))
            }
        }
        for rule in rules.counts {
            guard let summand = rule.summand,
                writer.catalog[rule.source]?.fields[summand] != .number
            else { continue }
            faults.append(
                .init(
                    member: "count[\(rule.place)].sum",
                    message: "must be a Number field of \(rule.source)"))
        }
        if !faults.isEmpty { throw RuleError.malformed(faults) }
    }
}

extension ClassSchema {
    /// The rules of the class as they were set; nil when it has none.
    package var rules: JSONObject? { settings?[ClassRules.settingsName]?.objectValue }

    /// Whether objects are still being brought under the rules, or leftovers of rules removed.
    package var isComingUnderRules: Bool { settings?[RuleProgress.settingsName] != nil }
}
