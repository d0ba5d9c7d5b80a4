import GeoStore
import JSONText

/// What a class asks of its objects' fields: `{"fields": {"f": {"required": true, "defaultValue":
/// 1}}}` in its settings.
struct FieldRules: Sendable {
    /// What it asks of one field.
    struct Rule: Sendable {
        let field: String
        let isRequired: Bool
        /// The value of new objects that are sent without the field; null is none.
        let defaultValue: JSONValue
    }

    private var rules: [Rule] = []

    /// Reads a class's settings, which were judged when they were set; what is none of a rule's
    /// form asks nothing.
    init(_ settings: JSONObject?) {
        for member in settings?["fields"]?.objectValue ?? [:] {
            let value = member.value["defaultValue"] ?? .null
            let isRequired = member.value["required"] == true
            guard isRequired || !value.isNull else { continue }
            rules.append(Rule(field: member.key, isRequired: isRequired, defaultValue: value))
        }
    }

    /// Fills in what a new object lacks, and tells it.
    ///
    /// - Throws: ``ParseError`` 142 when a required field has no value.
    func complete(
        _ fields: inout JSONObject, answered: inout JSONObject
    ) throws(ParseError) {
        for rule in rules {
            if !rule.defaultValue.isNull, !fields.contains(rule.field) {
                fields[rule.field] = rule.defaultValue
                answered[rule.field] = rule.defaultValue
            }
            try check(rule, fields)
        }
    }

    /// Judges an object after a change of these fields.
    ///
    /// - Throws: ``ParseError`` 142 when a required one has no value any more.
    func check(_ fields: JSONObject, changed: Set<String>) throws(ParseError) {
        for rule in rules where changed.contains(rule.field) { try check(rule, fields) }
    }

    private func check(_ rule: Rule, _ fields: JSONObject) throws(ParseError) {
        guard rule.isRequired else { return }
        switch fields[rule.field] {
        case nil, .null?, ""?:
            throw ParseError(.validationError, "\(rule.field) is required")
        case _?: return
        }
    }
}
