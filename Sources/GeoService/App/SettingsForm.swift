import JSONText

/// Reads the members of an object of settings one by one and notes all that is wrong with them.
///
/// A member that is not there leaves a setting as it is; null unsets it.
final class SettingsForm {
    private let members: JSONObject
    /// What stands before a member's name in messages, such as `heat.`.
    private let prefix: String
    private let faults: Faults
    /// Whether a former version may have taken them, which let more characters pass in texts.
    private let areStored: Bool
    private var known: [String] = []

    /// What is wrong so far, here and in the objects below.
    private final class Faults {
        var list: [Problem.Fault] = []
    }

    /// How many faults are told at most.
    private static let faultLimit = 50

    /// - Parameter areStored: Whether they come from the store and not from a client.
    convenience init(_ members: JSONObject, areStored: Bool = false) {
        self.init(members, prefix: "", faults: Faults(), areStored: areStored)
    }

    private init(_ members: JSONObject, prefix: String, faults: Faults, areStored: Bool) {
        self.members = members
        self.prefix = prefix
        self.faults = faults
        self.areStored = areStored
    }

    /// The form of an object that stands in this one.
    private func form(_ members: JSONObject, at path: String) -> SettingsForm {
        SettingsForm(members, prefix: "\(prefix)\(path).", faults: faults, areStored: areStored)
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

    /// Sets `setting` to a text that is not empty and can be printed.
    func text(_ name: String, _ setting: inout String?, limitBytes: Int) {
        var isPrintable = true
        update(
            name, &setting,
            isPrintable
                ? "must be a text of 1 to \(limitBytes) bytes, or null"
                : "must have no control characters but tabs and line ends"
        ) { value in
            guard let text = value.stringValue, (1...limitBytes).contains(text.utf8.count) else {
                return nil
            }
            isPrintable = areStored || !text.unicodeScalars.contains(where: Self.isControl)
            return isPrintable ? text : nil
        }
    }

    /// What neither a page nor XML can show, and no C string hold.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        default: scalar.properties.generalCategory == .control
        }
    }

    /// What a member says that must be there and may not be null; nil when that is wrong.
    func required<Value>(
        _ name: String, _ whatIsRight: @autoclosure () -> String, read: (JSONValue) -> Value?
    ) -> Value? {
        known.append(name)
        guard let value = members[name] else {
            refuse(name, "is missing: it \(whatIsRight())")
            return nil
        }
        guard let read = read(value) else {
            refuse(name, whatIsRight())
            return nil
        }
        return read
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
            let form = form(inner, at: name)
            read(form)
            form.refuseOthers()
        case _?: refuse(name, "must be an object, or null")
        }
    }

    /// What the objects of a list say; empty for null, nil when the list is not there or is none.
    ///
    /// - Parameters:
    ///   - element: What an element is, for messages.
    ///   - read: Called with each element's place in the list and its members; nil when they are
    ///     wrong, which it has noted.
    func list<Element>(
        _ name: String, limit: Int, of element: String,
        _ read: (Int, SettingsForm) -> Element?
    ) -> [Element]? {
        known.append(name)
        switch members[name] {
        case nil: return nil
        case .null?: return []
        case .array(let values)? where values.count > limit:
            refuse(name, "has \(values.count) elements; at most \(limit) are taken")
            return nil
        case .array(let values)?:
            return values.indices.compactMap { index in
                guard let members = values[index].objectValue else {
                    refuse("\(name)[\(index)]", "must be \(element)")
                    return nil
                }
                let form = form(members, at: "\(name)[\(index)]")
                defer { form.refuseOthers() }
                return read(index, form)
            }
        case _?:
            refuse(name, "must be a list of \(element), or null")
            return nil
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
