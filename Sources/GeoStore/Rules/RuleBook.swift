import JSONText

/// What all rules ask of the writes of each class. Made once from the settings of the classes.
package struct RuleBook: Hashable, Sendable {
    /// What a write of one class has to see to.
    package struct Duties: Hashable, Sendable {
        /// The class's own rules.
        package fileprivate(set) var rules: ClassRules?
        /// How far the objects that were there are brought under the rules; nil when all are.
        var progress: RuleProgress?
        /// Counters of other objects that count these.
        var counted: [CountRule] = []
        /// The class and the rule by which such objects are made.
        var madeBy: (className: String, rule: MutualRule)? {
            maker.flatMap { maker in makingRule.map { (maker, $0) } }
        }
        fileprivate var maker: String?
        fileprivate var makingRule: MutualRule?

        /// Fields whose values are the service's alone.
        package var ownedFields: [String] {
            (rules?.counts.map(\.counter) ?? []) + (makingRule.map { [$0.users] } ?? [])
        }

        /// Whether other rules leave the mutual one as it is and has been brought about.
        func keepsMutual(under next: ClassRules) -> Bool {
            guard let rules, let mutual = rules.mutual, progress?.keepsMutual ?? true else {
                return false
            }
            return next.mutual == mutual && next.owner == rules.owner
        }
    }

    private var duties: [String: Duties] = [:]
    /// The roles that audiences let read.
    package private(set) var audienceRoles = AudienceRoles()

    /// The duties of a class; nil when it has none.
    package subscript(className: String) -> Duties? { duties[className] }

    /// No rules.
    init() {}

    /// The rules of these classes; nil when there are none.
    ///
    /// - Complexity: O(classes + rules).
    init?(_ classes: [String: ClassSchema]) {
        for schema in classes.values {
            guard let settings = schema.settings,
                let json = settings[ClassRules.settingsName]?.objectValue,
                // They were judged when they were set.
                let rules = try? RuleParser.rules(of: schema.name, json)
            else { continue }
            add(rules, of: schema.name, RuleProgress(settings))
        }
        guard !duties.isEmpty else { return nil }
    }

    private mutating func add(
        _ rules: ClassRules, of className: String, _ progress: RuleProgress?
    ) {
        duties[className, default: Duties()].rules = rules
        duties[className]?.progress = progress
        for rule in rules.counts { duties[rule.source, default: Duties()].counted.append(rule) }
        if let audience = rules.audience { audienceRoles.add(audience) }
        if let mutual = rules.mutual {
            duties[mutual.made, default: Duties()].maker = className
            duties[mutual.made]?.makingRule = mutual
        }
    }

    /// The class whose rules need a field; nil when none do.
    func user(of field: String, in className: String) -> String? {
        guard let own = duties[className] else { return nil }
        if let rules = own.rules {
            let names =
                [rules.owner, rules.mutual?.field, rules.audience?.field].compactMap { $0 }
                + rules.counts.map(\.counter) + rules.unique.flatMap { $0 }
                + (rules.audience?.values.values.compactMap(\.users) ?? [])
            if names.contains(field) { return className }
        }
        for rule in own.counted where rule.pointer == field || rule.summand == field {
            return rule.target
        }
        if own.makingRule?.users == field { return own.maker }
        return nil
    }

    /// What is wrong with rules beside those of other classes.
    ///
    /// - Throws: ``RuleError/malformed(_:)``.
    func check(_ rules: ClassRules, of className: String) throws(RuleError) {
        var faults: [RuleError.Fault] = []
        for (place, rule) in rules.counts.enumerated() {
            let counters =
                rule.source == className
                ? rules.counts.map(\.counter) : duties[rule.source]?.rules?.counts.map(\.counter)
            if let summand = rule.summand, counters?.contains(summand) == true {
                faults.append(
                    .init(member: "count[\(place)].sum", message: "must not be a counter itself"))
            }
            for other in duties[className]?.counted ?? []
            where other.target != className && other.summand == rule.counter {
                faults.append(
                    .init(
                        member: "count[\(place)].into",
                        message: "must not be a field that \(other.target) adds up"))
            }
        }
        if let mutual = rules.mutual {
            let made = duties[mutual.made]
            let isFree = made?.maker.map { $0 == className } ?? true
            if !isFree || made?.rules?.mutual != nil || made?.rules?.audience != nil {
                faults.append(
                    .init(
                        member: "mutual.creates",
                        message: "must be a class that no other rules make or give an audience"))
            }
        }
        if duties[className]?.maker != nil, rules.mutual != nil || rules.audience != nil {
            faults.append(
                .init(
                    member: rules.mutual != nil ? "mutual" : "audience",
                    message: "is not for a class whose objects are made by rules"))
        }
        if !faults.isEmpty { throw .malformed(faults) }
    }
}
