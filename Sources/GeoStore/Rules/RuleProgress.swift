import JSONText

/// How far the objects that were there when rules were set are brought under them. Kept beside the
/// rules, so that it is taken up after a restart.
struct RuleProgress: Hashable, Sendable {
    /// The name under which a class's settings have it.
    static let settingsName = "rulesProgress"

    /// What is being done, in this order: leftovers of former rules are removed, the counted
    /// objects of one counter after another are counted, the class's own objects are gone through.
    enum Stage: Hashable, Sendable, Comparable {
        case clearing
        case counting(Int)
        case settling
    }

    var stage: Stage
    /// The id of the last object that is done in this stage.
    var after: String

    static let beginning = RuleProgress(stage: .clearing, after: "")

    /// Whether an object counts for a counter now: the others do when their turn comes.
    func counts(_ place: Int, _ objectId: String) -> Bool {
        switch stage {
        case .clearing: false
        case .counting(let current):
            place < current || place == current && !after.utf8.precedes(objectId.utf8)
        case .settling: true
        }
    }

    /// Whether keys are claimed as objects are written.
    var claims: Bool { stage != .clearing }
}

extension RuleProgress {
    private static let stages = (clearing: "clear", counting: "count", settling: "settle")

    /// The progress that settings tell; nil when all is done.
    init?(_ settings: JSONObject) {
        guard let json = settings[Self.settingsName]?.objectValue else { return nil }
        after = json["after"]?.stringValue ?? ""
        switch json["stage"]?.stringValue {
        case Self.stages.counting:
            stage = .counting(json["count"]?.integerValue.map { Int($0) } ?? 0)
        case Self.stages.settling: stage = .settling
        default: stage = .clearing
        }
    }

    /// The form of the settings.
    var json: JSONValue {
        switch stage {
        case .clearing: ["stage": .string(Self.stages.clearing)]
        case .counting(let place):
            [
                "stage": .string(Self.stages.counting), "count": .integer(Int64(place)),
                "after": .string(after),
            ]
        case .settling: ["stage": .string(Self.stages.settling), "after": .string(after)]
        }
    }
}

extension String.UTF8View {
    /// Whether this text sorts before another by its bytes, as ids do.
    fileprivate func precedes(_ other: String.UTF8View) -> Bool {
        lexicographicallyPrecedes(other)
    }
}
