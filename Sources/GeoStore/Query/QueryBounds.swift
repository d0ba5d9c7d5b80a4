/// What a condition says about single fields that every match fulfils: of this a plan chooses what
/// it reads.
struct QueryBounds {
    /// Tests that every match passes, with the field.
    private(set) var tests: [(path: WherePath, test: WhereTest)] = []
    /// Lists of conditions of which every match fulfils one.
    private(set) var choices: [[WhereCondition]] = []
    private let paths: [WherePath]

    init(_ condition: Where?) {
        paths = condition?.paths ?? []
        if let condition { add(condition.condition) }
    }

    private init(_ condition: WhereCondition, _ paths: [WherePath]) {
        self.paths = paths
        add(condition)
    }

    private mutating func add(_ condition: WhereCondition) {
        switch condition {
        case .all(let parts): for part in parts { add(part) }
        case .field(let number, let test): tests.append((paths[number], test))
        case .any(let parts): choices.append(parts)
        case .none: break
        }
    }

    /// The ids that matches have; nil when every id is possible.
    var ids: Set<String>? {
        var found: Set<String>?
        for entry in tests where entry.path == .objectId {
            let ids: Set<String>
            switch entry.test {
            case .equals(.text(let id)): ids = [id]
            case .equals: ids = []
            case .isIn(let values):
                ids = Set(
                    values.compactMap { if case .text(let id) = $0 { id } else { nil } })
            default: continue
            }
            found = found?.intersection(ids) ?? ids
        }
        return found
    }

    /// The ids between which matches lie.
    var idRange: (least: String, greatest: String) {
        // No id begins with a tilde.
        var range = (least: "", greatest: "~")
        for entry in tests where entry.path == .objectId {
            switch entry.test {
            case .greater(.text(let id), _):
                if range.least.utf8.lexicographicallyPrecedes(id.utf8) { range.least = id }
            case .less(.text(let id), _):
                if id.utf8.lexicographicallyPrecedes(range.greatest.utf8) { range.greatest = id }
            default: break
            }
        }
        return range
    }

    /// When matches came into being; nil when nothing is said.
    var created: ClosedRange<Int64>? {
        var (least, greatest) = (Int64.min, Int64.max)
        for entry in tests where entry.path.names == ["createdAt"] {
            switch entry.test {
            case .greater(.date(let time), _): least = max(least, time)
            case .less(.date(let time), _): greatest = min(greatest, time)
            case .equals(.date(let time)):
                least = max(least, time)
                greatest = min(greatest, time)
            default: break
            }
        }
        guard least > .min || greatest < .max else { return nil }
        // Nothing lies in a range that is turned round.
        return least <= greatest ? least...greatest : least...least
    }

    /// Tests of a place of which every match passes one; nil when there are none.
    func areas(of field: String) -> [WhereTest]? {
        for entry in tests where entry.path.names == [field] {
            switch entry.test {
            case .inBox, .inCircle, .inRing, .equals(.place): return [entry.test]
            default: continue
            }
        }
        for choice in choices where choice.count <= 32 {
            let parts = choice.map { QueryBounds($0, paths).areas(of: field) }
            let found = parts.compactMap { $0 }
            if found.count == parts.count { return found.flatMap { $0 } }
        }
        return nil
    }

    /// The fields that an index would help with, the most helpful first.
    var indexable: [String] {
        var (points, ranges): ([String], [String]) = ([], [])
        for entry in tests where entry.path != .objectId && entry.path.names != ["createdAt"] {
            guard let found = KeyRange.ranges(of: entry.test) else { continue }
            if found.allSatisfy(\.isOneKey) {
                points.append(entry.path.text)
            } else {
                ranges.append(entry.path.text)
            }
        }
        return points + ranges
    }

    /// The ranges of an index's keys in which every match has one; nil when the index is no help.
    ///
    /// - Parameter isSingle: Whether no object has a list there: then one key must be in all ranges.
    func ranges(of field: String, isSingle: Bool) -> [KeyRange]? {
        var found: [KeyRange]?
        for entry in tests where entry.path.text == field {
            guard let ranges = KeyRange.ranges(of: entry.test) else { continue }
            guard let before = found else {
                found = ranges
                continue
            }
            if isSingle, before.count == 1, ranges.count == 1 {
                found = before[0].common(ranges[0]).map { [$0] } ?? []
            } else if ranges.count(where: \.isOneKey) == ranges.count,
                before.contains(where: { !$0.isOneKey })
            {
                found = ranges
            }
        }
        return found
    }
}
