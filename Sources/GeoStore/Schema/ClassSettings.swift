package import JSONText

/// What the service keeps about a class. As long as the instance is the same, what was made of it
/// once need not be made again.
package final class ClassSettings: Sendable {
    /// The settings as they were set.
    package let json: JSONObject

    init(_ json: JSONObject) {
        self.json = json
    }
}

extension ClassSettings: Hashable {
    package static func == (left: ClassSettings, right: ClassSettings) -> Bool {
        left === right || left.json == right.json
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(json)
    }
}
