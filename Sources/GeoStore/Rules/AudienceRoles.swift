/// The roles that audiences let read. Whoever makes such a role says who reads, and the first who asks
/// gets a name: so the operator alone makes those that are the same for all objects, and no user makes
/// those of another.
package struct AudienceRoles: Hashable, Sendable {
    /// A name with the owner's id in it.
    private struct Template: Hashable {
        let before: String
        let after: String
    }

    /// The longest name, in bytes, before an id stands in it.
    static let maximumTemplateBytes = 60

    private var names: Set<String> = []
    private var templates: Set<Template> = []

    mutating func add(_ rule: AudienceRule) {
        for role in rule.values.values.flatMap(\.roles) {
            if let place = role.firstRange(of: AudienceRule.ownerPlaceholder) {
                templates.insert(
                    Template(
                        before: String(role[..<place.lowerBound]),
                        after: String(role[place.upperBound...])))
            } else {
                names.insert(role)
            }
        }
    }

    /// Whether a user may make a role of this name; nil stands for nobody.
    ///
    /// - Complexity: O(roles of all audiences that have the owner's id in them).
    package func mayBeMade(_ name: String, by userId: String?) -> Bool {
        guard !names.contains(name) else { return false }
        return templates.allSatisfy { template in
            guard name.hasPrefix(template.before), name.hasSuffix(template.after) else {
                return true
            }
            return userId.map { name == template.before + $0 + template.after } ?? false
        }
    }

    /// Whether an audience may name a role so: what a role can be called, with the owner once at
    /// most and something beside it, so that not all roles of all users are meant.
    static func isTemplate(_ text: String) -> Bool {
        guard let place = text.firstRange(of: AudienceRule.ownerPlaceholder) else {
            return Naming.isRoleName(text)
        }
        return text.utf8.count <= maximumTemplateBytes
            && Naming.isRoleName(text[..<place.lowerBound] + text[place.upperBound...])
    }
}
