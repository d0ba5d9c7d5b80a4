import JSONText

/// Reads the members of an object of settings one by one and notes all that is wrong with them.
///
/// A member that is not there leaves a setting as it is; null unsets it.
final class SettingsForm {
    private let members: JSONObject
    /// What stands before a member's name in messages, such as `heat.`.
    private let prefix: String
    private let faults: Faults
    private var known: [String] = []

    /// What is wrong so far, here and in the objects below.
    private final class Faults {
        var list: [Problem.Fault] = []
    }

    /// How many faults are told at most.
    private static let faultLimit = 50

    convenience init(_ members: JSONObject) {
        self.init(members, prefix: "", faults: Faults())
    }

    private init(_ members: JSONObject, prefix: String, faults: Faults) {
        self.members = members
        self.prefix = prefix
        self.faults = faults
    }

    /// Sets `setting` to what a member says.
    ///
    /// - Parameters:
    ///   - whatIsRight: The rest of a sentence that begins with the member's name.
    ///   - read: The value, or nil when it is wrong.
    func update<Value>(
        _ name: String, _ setting: inout Value?, _ whatIsRight: @autoclosure () -> String,
        read: (JSONValue) -> Value?
    ) {
        known.append(name)
        guard let value = members[name] else { return }
        guard !value.isNull else {
            setting = nil
            return
        }
        if let value = read(value) {
            setting = value
        } else {
            refuse(name, whatIsRight())
        }
    }

    /// Sets `setting` to a text that is not empty.
    func text(_ name: String, _ setting: inout String?, limitBytes: Int) {
        update(name, &setting, "must be a text of 1 to \(limitBytes) bytes, or null") {
            $0.stringValue.flatMap { (1...limitBytes).contains($0.utf8.count) ? $0 : nil }
        }
    }

    /// Sets `setting` to a whole number.
    func integer(
        _ name: String, _ setting: inout Int?, in range: ClosedRange<Int>, of unit: String
    ) {
        update(
            name, &setting,
            "must be a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound), "
                + "or null"
        ) { value in
            value.integerValue.flatMap { Int(exactly: $0) }.flatMap {
                range.contains($0) ? $0 : nil
            }
        }
    }

    /// Goes through the members of an object in this one; `whenNull` is called for null.
    func object(_ name: String, whenNull: () -> Void, _ read: (SettingsForm) -> Void) {
        known.append(name)
        switch members[name] {
        case nil: return
        case .null?: whenNull()
        case .object(let inner)?:
            let form = SettingsForm(inner, prefix: "\(prefix)\(name).", faults: faults)
            read(form)
            form.refuseOthers()
        case _?: refuse(name, "must be an object, or null")
        }
    }

    /// Notes what is wrong with a member.
    func refuse(_ name: String, _ whatIsRight: String) {
        guard faults.list.count < Self.faultLimit else { return }
        faults.list.append(Problem.Fault(field: prefix + name, message: whatIsRight))
    }

    /// Notes the members that nobody has asked for.
    func refuseOthers() {
        for name in members.keys where !known.contains(name) {
            refuse(
                String(name.prefix(100)),
                "is no setting; there are \(known.map { prefix + $0 }.joined(separator: ", "))")
        }
    }

    /// - Throws: ``Problem`` (400) with all that is wrong, when something is.
    func finish() throws(Problem) {
        refuseOthers()
        guard let first = faults.list.first else { return }
        let others = faults.list.count > 1 ? " (and \(faults.list.count - 1) more)" : ""
        throw Problem(
            .badRequest, "\(first.field) \(first.message)\(others)", errors: faults.list)
    }
}
