import JSONText

/// The fields that a query asks about: what it finds, and in which order, tells their values.
enum AskedFields {
    /// Refuses a list of objects whose order or condition would tell what is hidden in them.
    /// Conditions on other classes that ask about these are judged where they are read.
    ///
    /// - Throws: ``ParseError`` 119.
    static func check(
        _ parameters: JSONObject, of className: String, for caller: ParseCaller
    ) throws(ParseError) {
        guard !caller.view.hiddenFields(of: className).isEmpty else { return }
        var asked = Set(
            try ParseParameters.names(parameters["order"] ?? .null, of: "order").map { name in
                String(name.drop { $0 == "-" })
            })
        if let condition = parameters["where"] {
            let text = condition.stringValue
            note(text.flatMap { try? JSONParser.parse(text: $0) } ?? condition, in: &asked)
        }
        try caller.view.checkAsked(asked, of: className)
    }

    /// Notes the fields that a condition asks about, at any depth of `$or` and the like.
    private static func note(_ condition: JSONValue, in asked: inout Set<String>) {
        for member in condition.objectValue ?? [:] {
            if member.key.hasPrefix("$") {
                for part in member.value.arrayValue ?? [] { note(part, in: &asked) }
            } else {
                asked.insert(member.key)
            }
        }
    }
}
