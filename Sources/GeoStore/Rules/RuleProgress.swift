import JSONText

/// How far the objects that were there when rules were set are brought under them. Kept beside the
/// rules, so that it is taken up after a restart.
struct RuleProgress: Hashable, Sendable {
    /// The name under which a class's settings have it.
    static let settingsName = "rulesProgress"

    /// What is being done, in this order: leftovers of former rules are removed, the counted
    /// objects of one counter after another are counted, the class's own objects are judged and get
    /// their keys, then they are changed, and those who have named each other get what they share.
    /// What anybody can see comes last: by then nothing can refuse the rules any more.
    enum Stage: Hashable, Sendable, Comparable {
        case clearing
        case counting(Int)
        case checking
        case settling
        case matching
    }

    var stage: Stage
    /// The id of the last object that is done in this stage.
    var after = ""
    /// Whether the mutual rule held before as it is now: then who has named whom, and who has
    /// parted, stays as it is.
    var keepsMutual = false

    init(stage: Stage, keepsMutual: Bool) {
        self.stage = stage
        self.keepsMutual = keepsMutual
    }

    /// The same work at another place.
    func at(_ stage: Stage, after: String = "") -> RuleProgress {
        var next = self
        next.stage = stage
        next.after = after
        return next
    }

    /// Whether an object counts for a counter now: the others do when their turn comes.
    func counts(_ place: Int, _ objectId: String) -> Bool {
        switch stage {
        case .clearing: false
        case .counting(let current):
            place < current || place == current && !after.utf8.precedes(objectId.utf8)
        case .checking, .settling, .matching: true
        }
    }

    /// Whether unique values are claimed as objects are written.
    var claimsValues: Bool { stage != .clearing }

    /// Whether it is kept who names whom as objects are written.
    var claimsNamings: Bool { keepsMutual || stage != .clearing }

    /// Whether two who name each other get what they share at once.
    var matches: Bool { keepsMutual || stage == .matching }
}

extension RuleProgress {
    private static let stages = (
        clearing: "clear", counting: "count", checking: "check", settling: "settle",
        matching: "match"
    )

    /// The progress that settings tell; nil when all is done.
    init?(_ settings: JSONObject) {
        guard let json = settings[Self.settingsName]?.objectValue else { return nil }
        after = json["after"]?.stringValue ?? ""
        switch json["stage"]?.stringValue {
        case Self.stages.counting:
            stage = .counting(json["count"]?.integerValue.map { Int($0) } ?? 0)
        case Self.stages.checking: stage = .checking
        case Self.stages.settling: stage = .settling
        case Self.stages.matching: stage = .matching
        default: stage = .clearing
        }
        keepsMutual = json["keepsMutual"]?.boolValue ?? false
    }

    /// The form of the settings.
    var json: JSONValue {
        var json: JSONObject = ["after": .string(after), "keepsMutual": .bool(keepsMutual)]
        switch stage {
        case .clearing: json["stage"] = .string(Self.stages.clearing)
        case .counting(let place):
            json["stage"] = .string(Self.stages.counting)
            json["count"] = .integer(Int64(place))
        case .checking: json["stage"] = .string(Self.stages.checking)
        case .settling: json["stage"] = .string(Self.stages.settling)
        case .matching: json["stage"] = .string(Self.stages.matching)
        }
        return .object(json)
    }
}

extension String.UTF8View {
    /// Whether this text sorts before another by its bytes, as ids do.
    fileprivate func precedes(_ other: String.UTF8View) -> Bool {
        lexicographicallyPrecedes(other)
    }
}
