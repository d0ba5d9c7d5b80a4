/// Why a class's rules refuse a write, or why rules cannot be set.
package enum RuleError: Error, Equatable, Sendable {
    /// Another object has the same values in these fields.
    case duplicate(className: String, fields: [String], objectId: String, by: String)
    /// The values of the fields are longer than a key may be.
    case valuesTooLong(className: String, fields: [String], limitBytes: Int)
    /// A value that is added up is no whole number.
    case notWhole(className: String, objectId: String, field: String)
    /// A counter would be too large.
    case counterTooLarge(className: String, field: String)
    /// The value that tells who may read is none of the rule's.
    case unknownAudience(className: String, field: String, allowed: [String])
    /// The audience has more members than an access list may have.
    case audienceTooLarge(className: String, field: String, limit: Int)
    /// Objects of the class are made by the rules of another alone.
    case madeByRules(className: String)
    /// A rule needs the field, so that it cannot be removed.
    case fieldInUse(className: String, field: String, by: String)
    /// An object that is there cannot be brought under the rules.
    indirect case standing(objectId: String, RuleError)
    /// The rules are not what rules look like.
    case malformed([Fault])

    /// One member that is at fault.
    package struct Fault: Error, Equatable, Sendable {
        /// The member's path, `count[0].by`.
        package let member: String
        /// What would be right.
        package let message: String
    }
}

extension RuleError: CustomStringConvertible {
    /// A sentence for the client.
    package var description: String {
        switch self {
        case .duplicate(let className, let fields, _, _):
            "another object of \(className) has the same \(fields.joined(separator: ", ")) already"
        case .valuesTooLong(let className, let fields, let limit):
            "\(fields.joined(separator: ", ")) of \(className) must be different in each object, "
                + "and take at most \(limit) bytes together"
        case .notWhole(let className, _, let field):
            "\(className).\(field) must be a whole number of at most 2^53: it is added up"
        case .counterTooLarge(let className, let field):
            "\(className).\(field) would be too large a number"
        case .unknownAudience(let className, let field, let allowed):
            "\(className).\(field) must be one of \(allowed.joined(separator: ", "))"
        case .audienceTooLarge(let className, let field, let limit):
            "\(className).\(field) would let more than \(limit) read the object"
        case .madeByRules(let className):
            "objects of \(className) are made by the service alone"
        case .fieldInUse(let className, let field, let user):
            "\(className).\(field) cannot be removed: the rules of \(user) need it"
        case .standing(let objectId, let error):
            "the object \(objectId) does not keep the rules: \(error)"
        case .malformed(let faults):
            faults.map { "\($0.member) \($0.message)" }.joined(separator: "; ")
        }
    }
}
