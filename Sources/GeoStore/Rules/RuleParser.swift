import JSONText

/// Reads rules as they are sent, and finds all that is wrong with their form.
struct RuleParser {
    /// The most counters, and the most unique lists, of a class.
    static let greatestCount = 16
    /// The most fields of one unique list.
    static let greatestFields = 8
    /// The most values of an audience, and the most roles of one.
    static let greatestValues = 32

    private let className: String
    private var faults: [RuleError.Fault] = []

    /// The rules of a class, as `json` tells them.
    ///
    /// - Throws: ``RuleError/malformed(_:)`` with every fault.
    static func rules(
        of className: String, _ json: JSONObject
    ) throws(RuleError) -> ClassRules {
        var parser = RuleParser(className: className)
        let rules = parser.rules(json)
        guard parser.faults.isEmpty else { throw .malformed(parser.faults) }
        return rules
    }

    private init(className: String) {
        self.className = className
    }

    private mutating func rules(_ json: JSONObject) -> ClassRules {
        var rules = ClassRules(json: json)
        refuseOthers(json, than: ["owner", "count", "unique", "mutual", "audience"], in: "")
        if json["owner"] != nil { rules.owner = field(json, "owner", "") }
        for (place, value) in list(json, "count").enumerated() {
            if let rule = count(value, at: place) { rules.counts.append(rule) }
        }
        for (place, value) in list(json, "unique").enumerated() {
            if let fields = uniqueFields(value, "unique[\(place)]") { rules.unique.append(fields) }
        }
        if let value = json["mutual"] { rules.mutual = mutual(value) }
        if let value = json["audience"] { rules.audience = audience(value) }
        judge(rules)
        return rules
    }

    /// What the rules of one class must be to one another.
    private mutating func judge(_ rules: ClassRules) {
        if rules.owner == nil, rules.mutual != nil || rules.audience != nil {
            fault("owner", "must name the field of the object's user: mutual and audience need it")
        }
        if className.hasPrefix("_") {
            // Users make themselves, and their rights are their own.
            for (name, isThere) in [
                ("owner", rules.owner != nil), ("mutual", rules.mutual != nil),
                ("audience", rules.audience != nil),
            ] where isThere {
                fault(name, "is for classes of your own, not for \(className)")
            }
        }
        if let mutual = rules.mutual, mutual.field == rules.owner {
            fault("mutual.to", "must be another field than the owner")
        }
        let counters = rules.counts.map(\.counter)
        for (place, counter) in counters.enumerated()
        where [LocationAccuracy.fieldName, "expiresAt"].contains(counter) {
            fault("count[\(place)].into", "must not be \(counter), which has a meaning of its own")
        }
        for (place, counter) in counters.enumerated()
        where counters[..<place].contains(counter) {
            fault("count[\(place)].into", "must be a field of its own: \(counter) is taken")
        }
        for (place, fields) in rules.unique.enumerated()
        where !Set(fields).isDisjoint(with: counters) {
            fault("unique[\(place)]", "must not have a counter")
        }
        if let audience = rules.audience, counters.contains(audience.field) {
            fault("audience.field", "must not be a counter")
        }
    }

    private mutating func count(_ value: JSONValue, at place: Int) -> CountRule? {
        let path = "count[\(place)]"
        guard let json = object(value, path) else { return nil }
        refuseOthers(json, than: ["of", "by", "into", "sum"], in: path)
        let source = className(json, "of", path)
        let pointer = field(json, "by", path)
        let counter = field(json, "into", path)
        let summand = json["sum"] == nil ? nil : field(json, "sum", path)
        guard let source, let pointer, let counter else { return nil }
        return CountRule(
            place: place, target: className, source: source, pointer: pointer, counter: counter,
            summand: summand)
    }

    private mutating func uniqueFields(_ value: JSONValue, _ path: String) -> [String]? {
        let names = value.arrayValue?.map(\.stringValue) ?? []
        let fields = names.compactMap { $0 }.filter(Naming.isIdentifier)
        guard (1...Self.greatestFields).contains(names.count), fields.count == names.count,
            Set(fields).count == fields.count
        else {
            fault(path, "must be a list of 1 to \(Self.greatestFields) different fields")
            return nil
        }
        return fields
    }

    private mutating func mutual(_ value: JSONValue) -> MutualRule? {
        guard let json = object(value, "mutual") else { return nil }
        refuseOthers(json, than: ["to", "creates", "users"], in: "mutual")
        let field = field(json, "to", "mutual")
        let made = className(json, "creates", "mutual")
        let users = json["users"] == nil ? "users" : self.field(json, "users", "mutual")
        guard let field, let made, let users else { return nil }
        guard made != className, !made.hasPrefix("_") else {
            fault("mutual.creates", "must be a class of its own")
            return nil
        }
        return MutualRule(field: field, made: made, users: users)
    }

    private mutating func audience(_ value: JSONValue) -> AudienceRule? {
        guard let json = object(value, "audience") else { return nil }
        refuseOthers(json, than: ["field", "default", "values"], in: "audience")
        guard let field = field(json, "field", "audience") else { return nil }
        guard let members = json["values"]?.objectValue,
            (1...Self.greatestValues).contains(members.count)
        else {
            fault("audience.values", "must be an object of 1 to \(Self.greatestValues) values")
            return nil
        }
        var values: [String: AudienceRule.Admission] = [:]
        for member in members {
            values[member.key] = admission(member.value, "audience.values.\(member.key)")
        }
        guard let standard = json["default"]?.stringValue, values[standard] != nil else {
            fault("audience.default", "must be one of the values")
            return nil
        }
        return AudienceRule(field: field, standard: standard, values: values)
    }

    private mutating func admission(
        _ value: JSONValue, _ path: String
    ) -> AudienceRule.Admission {
        var admission = AudienceRule.Admission()
        guard let json = object(value, path) else { return admission }
        refuseOthers(json, than: ["public", "roles", "users"], in: path)
        if let value = json["public"] {
            if let isPublic = value.boolValue {
                admission.isPublic = isPublic
            } else {
                fault("\(path).public", "must be true or false")
            }
        }
        if let value = json["roles"] {
            let roles = value.arrayValue?.compactMap(\.stringValue) ?? []
            if roles.count == value.arrayValue?.count, roles.allSatisfy(AudienceRoles.isTemplate),
                (1...Self.greatestValues).contains(roles.count)
            {
                admission.roles = roles
            } else {
                fault(
                    "\(path).roles",
                    "must be a list of 1 to \(Self.greatestValues) names of roles: letters, digits, "
                        + "underscores, hyphens and spaces, beside them {owner} at most once")
            }
        }
        if json["users"] != nil { admission.users = field(json, "users", path) }
        return admission
    }

    private mutating func list(_ json: JSONObject, _ name: String) -> [JSONValue] {
        guard let value = json[name] else { return [] }
        guard let elements = value.arrayValue, elements.count <= Self.greatestCount else {
            fault(name, "must be a list of at most \(Self.greatestCount) rules")
            return []
        }
        return elements
    }

    private mutating func object(_ value: JSONValue, _ path: String) -> JSONObject? {
        if let json = value.objectValue { return json }
        fault(path, "must be an object")
        return nil
    }

    private mutating func field(
        _ json: JSONObject, _ name: String, _ path: String
    ) -> String? {
        if let text = json[name]?.stringValue, Naming.isIdentifier(text),
            !Naming.reservedFields.contains(text)
        {
            return text
        }
        fault(path.isEmpty ? name : "\(path).\(name)", "must be the name of a field")
        return nil
    }

    private mutating func className(
        _ json: JSONObject, _ name: String, _ path: String
    ) -> String? {
        if let text = json[name]?.stringValue, Naming.isClassName(text),
            !Naming.internalClasses.contains(text)
        {
            return text
        }
        fault("\(path).\(name)", "must be the name of a class")
        return nil
    }

    private mutating func refuseOthers(
        _ json: JSONObject, than names: Set<String>, in path: String
    ) {
        for member in json where !names.contains(member.key) {
            let name = String(member.key.prefix(100))
            fault(
                path.isEmpty ? name : "\(path).\(name)",
                "is no member; there are \(names.sorted().joined(separator: ", "))")
        }
    }

    private mutating func fault(_ member: String, _ message: String) {
        guard faults.count < 20 else { return }
        faults.append(RuleError.Fault(member: member, message: message))
    }
}
