package import JSONText

/// What an import did: the answer to whoever asked for it.
package struct ImportReport: Sendable {
    /// How many errors are shown; all are counted.
    package static let shownErrors = 100

    /// Objects that are new.
    package var added = 0
    /// Objects that were there and have changed.
    package var updated = 0
    /// Objects that were there and are the same.
    package var unchanged = 0
    /// Objects that were removed, because the file does not name them any more.
    package var removed = 0
    /// Rows that were not taken.
    package private(set) var rejected = 0
    /// How long it took.
    package var seconds = 0.0
    /// What looks wrong but was kept, one sentence each.
    package var warnings: [String] = []
    /// The first rows that were not taken.
    package private(set) var errors: [(line: Int, reason: String)] = []

    /// An empty report.
    package init() {}

    /// Reads the JSON of a report; nil when it is none.
    package init?(_ json: JSONValue) {
        func count(_ name: String) -> Int? { json[name]?.integerValue.map { Int(clamping: $0) } }
        guard let added = count("added"), let updated = count("updated"),
            let unchanged = count("unchanged"), let removed = count("removed"),
            let rejected = count("rejected"), let seconds = json["seconds"]?.doubleValue,
            let warnings = json["warnings"]?.arrayValue, let errors = json["errors"]?.arrayValue
        else { return nil }
        self.added = added
        self.updated = updated
        self.unchanged = unchanged
        self.removed = removed
        self.rejected = rejected
        self.seconds = seconds
        self.warnings = warnings.compactMap(\.stringValue)
        self.errors = errors.compactMap { error in
            guard let line = error["line"]?.integerValue, let reason = error["reason"]?.stringValue
            else { return nil }
            return (line: Int(clamping: line), reason: reason)
        }
    }

    /// Counts rejections and shows the first.
    package mutating func add(_ rejections: [RowRejection]) {
        rejected += rejections.count
        for rejection in rejections.prefix(max(0, ImportReport.shownErrors - errors.count)) {
            errors.append((line: rejection.line, reason: rejection.reason.description))
        }
    }

    /// Counts a row that the writing side did not take.
    package mutating func reject(line: Int, reason: String) {
        rejected += 1
        if errors.count < ImportReport.shownErrors { errors.append((line: line, reason: reason)) }
    }

    /// The report as the answer's JSON.
    package var json: JSONValue {
        [
            "added": .integer(Int64(added)), "updated": .integer(Int64(updated)),
            "unchanged": .integer(Int64(unchanged)), "removed": .integer(Int64(removed)),
            "rejected": .integer(Int64(rejected)),
            "seconds": .number((seconds * 1000).rounded() / 1000),
            "warnings": .array(warnings.map { .string($0) }),
            "errors": .array(
                errors.map { ["line": .integer(Int64($0.line)), "reason": .string($0.reason)] }),
        ]
    }
}
