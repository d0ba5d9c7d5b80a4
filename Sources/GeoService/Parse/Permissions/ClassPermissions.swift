import GeoStore
import JSONText

/// What the permissions of a class let whom do, besides what the access lists of objects say.
///
/// Made once of `{"find": {"*": true}, "update": {"role:crew": true}, "delete": {},
/// "protectedFields": {"*": ["email"]}}`, and asked often. What is not mentioned is open to all,
/// what has an empty object to nobody but the master key. It knows nothing of Parse's requests:
///
///     let permissions = ClassPermissions(settings, of: "Post")
///     permissions.mayFind(principals)                   // may all of its objects be looked at?
///     permissions.verdict(on: .find, for: principals)   // or only those that name the user?
///     permissions.hiddenFields(from: principals)        // what must be in no answer
struct ClassPermissions: Hashable, Sendable {
    /// What is permitted or not.
    enum Operation: String, CaseIterable, Sendable {
        case find, get, count, create, update, delete, addField
    }

    /// Whether a caller may do something.
    enum Verdict: Hashable, Sendable {
        case granted
        /// With objects that name him in one of these fields; nobody in particular with none.
        case limited(fields: [String])
        /// Not without a session.
        case needsUser
        case refused
    }

    /// Who may do one thing.
    struct Grant: Hashable, Sendable {
        var isOpen = false
        /// The ids of users, and `role:` with the names of roles.
        var names: Set<String> = []
        /// Whether everybody with a session may.
        var needsUser = false
        var pointerFields: [String] = []
    }

    /// From whom fields are hidden. Of all rules that are about a caller, only what each of them
    /// hides is hidden.
    struct Protection: Hashable, Sendable {
        enum Audience: Hashable, Sendable {
            case everybody, authenticated
            /// A user's id, or `role:` and a name.
            case name(String)
            /// The user whom the object names in a field.
            case named(field: String)
        }

        var audience: Audience
        var fields: Set<String>
    }

    /// What is not open to all.
    var grants: [Operation: Grant] = [:]
    var readUserFields: [String] = []
    var writeUserFields: [String] = []
    var protections: [Protection] = []

    /// All is open, nothing hidden.
    static let open = ClassPermissions()

    /// Whether a caller may look for objects of the class, whichever they are.
    ///
    /// - Complexity: O(names of the caller).
    func mayFind(_ principals: Principals) -> Bool {
        verdict(on: .find, for: principals) == .granted
    }

    /// Whether a caller may do something.
    ///
    /// - Complexity: O(names of the caller).
    func verdict(on operation: Operation, for principals: Principals) -> Verdict {
        guard !principals.isMaster, let grant = grants[operation] else { return .granted }
        if grant.isOpen { return .granted }
        if !grant.names.isEmpty, principals.names.contains(where: grant.names.contains) {
            return .granted
        }
        if grant.needsUser, principals.userId == nil { return .needsUser }
        var fields: [String]
        switch operation {
        case .find, .get, .count: fields = readUserFields
        case .update, .delete, .addField: fields = writeUserFields
        // Who may write what names him need not be free to make it.
        case .create: fields = []
        }
        fields += grant.pointerFields.filter { !fields.contains($0) }
        if !fields.isEmpty { return .limited(fields: fields) }
        return grant.needsUser ? .granted : .refused
    }

    /// The fields that a caller is not shown, and may not ask about: those hidden from him unless
    /// an object names him.
    ///
    /// - Complexity: O(protections · log(names of the caller)).
    func hiddenFields(from principals: Principals) -> Set<String> {
        guard !principals.isMaster, !protections.isEmpty else { return [] }
        return intersection { $0.isAbout(principals) } ?? []
    }

    /// The fields that a caller is not shown of one object at least: what is made of many objects may
    /// not be made of these.
    ///
    /// - Complexity: as ``hiddenFields(from:)``.
    func fieldsHiddenSomewhere(from principals: Principals) -> Set<String> {
        guard !principals.isMaster, !protections.isEmpty else { return [] }
        // A rule about those whom an object names takes from what others hide, or stands alone.
        if let hidden = intersection({ $0.isAbout(principals) }) { return hidden }
        guard principals.userId != nil else { return [] }
        return protections.reduce(into: []) { hidden, protection in
            if case .named = protection.audience { hidden.formUnion(protection.fields) }
        }
    }

    /// Whether what a user is not shown differs from object to object.
    var dependsOnObjects: Bool {
        protections.contains { protection in
            if case .named = protection.audience { true } else { false }
        }
    }

    /// Whether a caller is shown all fields of all objects.
    func hidesNothing(from principals: Principals) -> Bool {
        protections.isEmpty || principals.isMaster
            || !dependsOnObjects && hiddenFields(from: principals).isEmpty
    }

    /// The fields of one object that a caller is not shown. A user sees all of himself.
    func hiddenFields(of document: Document, from principals: Principals) -> Set<String> {
        guard !principals.isMaster, !protections.isEmpty else { return [] }
        if document.className == AccountNames.user, document.objectId == principals.userId {
            return []
        }
        return intersection { protection in
            if case .named(let field) = protection.audience {
                return PointerLimit(fields: [field], user: principals.userId).covers(document)
            }
            return protection.isAbout(principals)
        } ?? []
    }

    /// What each of the rules hides that are meant; nil when none is.
    private func intersection(_ isMeant: (Protection) -> Bool) -> Set<String>? {
        var common: Set<String>?
        for protection in protections where isMeant(protection) {
            common = common?.intersection(protection.fields) ?? protection.fields
        }
        return common
    }
}

extension ClassPermissions.Protection {
    /// Whether it is about a caller, whatever the object.
    fileprivate func isAbout(_ principals: Principals) -> Bool {
        switch audience {
        case .everybody: true
        case .authenticated: principals.userId != nil
        case .name(let name): principals.names.contains(name)
        case .named: false
        }
    }
}
