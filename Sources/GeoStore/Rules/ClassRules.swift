package import JSONText

/// What the store itself sees to when objects of a class are written: data that an operator sets,
/// so that no code knows what a class means.
package struct ClassRules: Hashable, Sendable {
    /// The name under which a class's settings have its rules.
    package static let settingsName = "rules"

    /// The field that names the user whose object it is.
    package internal(set) var owner: String?
    /// Counters that the objects have.
    package internal(set) var counts: [CountRule] = []
    /// Lists of fields; no two objects have the same values of one.
    package internal(set) var unique: [[String]] = []
    /// What is made when two users name each other.
    package internal(set) var mutual: MutualRule?
    /// Who may read an object.
    package internal(set) var audience: AudienceRule?
    /// The rules as they were set.
    package let json: JSONObject

    init(json: JSONObject) {
        self.json = json
    }

    /// Whether objects that are there must be looked at when the rules are set.
    var concernObjects: Bool {
        !(counts.isEmpty && unique.isEmpty && mutual == nil && audience == nil)
    }
}

/// A counter: how many objects of a class point to an object, or the sum of their whole numbers.
package struct CountRule: Hashable, Sendable {
    /// Its place among the counters of its class.
    let place: Int
    /// The class whose objects have the counter.
    package let target: String
    /// The class whose objects are counted.
    package let source: String
    /// Their pointer to the object that counts them.
    package let pointer: String
    /// The field of the counter.
    package let counter: String
    /// The field whose whole numbers are added up; nil counts objects.
    package let summand: String?

    /// The object that counts a document; nil when none does.
    func counting(_ document: Document) -> String? {
        guard let pointer = document.fields[pointer]?.objectValue,
            pointer["__type"] == "Pointer", pointer["className"] == .string(target)
        else { return nil }
        return pointer["objectId"]?.stringValue
    }

    /// What a document adds to the counter.
    ///
    /// - Throws: ``RuleError/notWhole(className:objectId:field:)``.
    func amount(of document: Document) throws(RuleError) -> Int64 {
        guard let summand else { return 1 }
        guard let value = document.fields[summand], !value.isNull else { return 0 }
        guard let whole = value.integerValue, whole.magnitude <= CountRule.greatestSummand else {
            throw .notWhole(
                className: document.className, objectId: document.objectId, field: summand)
        }
        return whole
    }

    /// Whole numbers up to here are added; all numbers of JSON are exact up to here.
    static let greatestSummand: UInt64 = 1 << 53
}

/// What is made when two users name each other: an object that both may read and delete, once for
/// each pair.
package struct MutualRule: Hashable, Sendable {
    /// The pointer to the user whom the owner names.
    package let field: String
    /// The class of what is made.
    package let made: String
    /// Its field: a list of pointers to the two, in the order of their ids.
    package let users: String
}

/// Who may read an object, by the value of a field. The owner always may, and alone may write.
package struct AudienceRule: Hashable, Sendable {
    /// Whom one value admits.
    package struct Admission: Hashable, Sendable {
        /// Everybody.
        var isPublic = false
        /// Names of roles; `{owner}` in them is the owner's id.
        var roles: [String] = []
        /// A field with a pointer to a user, or a list of such.
        var users: String?
    }

    /// The field that says who.
    package let field: String
    /// The value of objects that have none.
    package let standard: String
    /// What the values mean.
    package let values: [String: Admission]
}
