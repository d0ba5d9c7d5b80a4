import GeoIndex

/// A `where` as a tree: what is asked of fields, joined by and, or, nor.
indirect enum WhereCondition: Sendable {
    /// All of these hold; of none, true.
    case all([WhereCondition])
    /// One of these holds.
    case any([WhereCondition])
    /// None of these holds.
    case none([WhereCondition])
    /// A test of the field of that number.
    case field(Int, WhereTest)
}

/// One thing asked of one value.
indirect enum WhereTest: Sendable {
    /// Equal, or a list that has an equal element; null is missing too.
    case equals(FieldValue)
    /// Equal to one of these, as above.
    case isIn(Set<FieldValue>)
    /// The contrary.
    case not(WhereTest)
    /// Less, or greater; with `orEqual` equal too. Never a missing value.
    case less(FieldValue, orEqual: Bool)
    case greater(FieldValue, orEqual: Bool)
    /// A list in which each of these holds for some element.
    case containsAll([WhereTest])
    /// A list whose elements are all among these.
    case isContained(in: Set<FieldValue>)
    /// There or not; null is there.
    case exists(Bool)
    /// A text, or a list with a text, in which the pattern is.
    case matches(WherePattern, path: String)
    /// A place in a box, edges included.
    case inBox(WhereBox)
    /// A place at most so far away.
    case inCircle(centre: RoundedPosition, haversine: Double)
    /// A place in a polygon, edges included.
    case inRing(WhereRing)
    /// A polygon that holds a place, edges included.
    case holds(RoundedPosition)
    /// A text, or a list with a text, that has the words.
    case hasWords(WhereWords)
    /// Equal to a value that the subquery of that number gives; holds for nothing before.
    case among(Int)
    /// Holds for nothing.
    case never
}

/// A box in whole units of 1e-7°; one whose west is greater than its east crosses 180°.
struct WhereBox: Sendable {
    var southWest: RoundedPosition
    var northEast: RoundedPosition

    func contains(_ place: RoundedPosition) -> Bool {
        guard place.latE7 >= southWest.latE7, place.latE7 <= northEast.latE7 else { return false }
        // ±180° is one meridian.
        return containsLon(place.lonE7)
            || abs(Int64(place.lonE7)) == 1_800_000_000 && containsLon(-place.lonE7)
    }

    private func containsLon(_ lon: Int32) -> Bool {
        let (west, east) = (southWest.lonE7, northEast.lonE7)
        return west <= east ? lon >= west && lon <= east : lon >= west || lon <= east
    }
}

extension WhereCondition {
    /// Whether the condition holds.
    ///
    /// - Parameter value: The value of the field of that number; asked only for those that count.
    /// - Throws: ``WhereError`` `tooCostly`, and what `value` throws.
    func holds(_ value: (Int) throws -> FieldValue) throws -> Bool {
        switch self {
        case .all(let parts):
            for part in parts where try !part.holds(value) { return false }
            return true
        case .any(let parts):
            for part in parts where try part.holds(value) { return true }
            return false
        case .none(let parts):
            for part in parts where try part.holds(value) { return false }
            return true
        case .field(let number, let test): return try test.holds(value(number))
        }
    }
}

extension WhereCondition {
    /// About how much an object is judged by, in plain comparisons.
    var weight: Int {
        switch self {
        case .all(let parts), .any(let parts), .none(let parts):
            parts.reduce(1) { $0 + $1.weight }
        case .field(_, let test): test.weight
        }
    }
}

extension WhereTest {
    /// The same of one test: patterns, polygons and words are much for any object.
    fileprivate var weight: Int {
        switch self {
        case .equals, .isIn, .less, .greater, .isContained, .exists, .inBox, .inCircle, .never: 1
        case .not(let test): test.weight
        case .containsAll(let tests): tests.reduce(1) { $0 + $1.weight }
        case .matches, .inRing, .holds, .hasWords, .among: 1_000
        }
    }

    /// Whether the test holds for a value.
    ///
    /// - Throws: ``WhereError`` `tooCostly`.
    func holds(_ value: FieldValue) throws(WhereError) -> Bool {
        switch self {
        case .equals(let operand):
            if operand.isNothing && value.isNothing || value == operand { return true }
            return value.list?.contains(operand) ?? false
        case .isIn(let operands):
            // Null and missing are null to the list.
            if operands.contains(value.isNothing ? .null : value) { return true }
            return value.list?.contains { operands.contains($0) } ?? false
        case .not(let test): return try !test.holds(value)
        case .less(let bound, let orEqual):
            return WhereTest.some(of: value) { WhereTest.precedes($0, bound, orEqual: orEqual) }
        case .greater(let bound, let orEqual):
            return WhereTest.some(of: value) { WhereTest.precedes(bound, $0, orEqual: orEqual) }
        case .containsAll(let tests):
            guard let elements = value.list else { return false }
            for test in tests {
                var isMet = false
                for element in elements where try test.holds(element) {
                    isMet = true
                    break
                }
                guard isMet else { return false }
            }
            return true
        case .isContained(let operands):
            return value.list?.allSatisfy { operands.contains($0) } ?? false
        case .exists(let isThere):
            if case .missing = value { return !isThere }
            return isThere
        case .matches(let pattern, let path):
            do throws(WherePattern.TooCostly) {
                return try WhereTest.matches(value, pattern)
            } catch {
                throw WhereError(
                    .tooCostly, path, "takes too many steps on a text: make the pattern simpler")
            }
        case .inBox(let box): return value.placeValue.map { box.contains($0) } ?? false
        case .inCircle(let centre, let haversine):
            return value.placeValue.map {
                SphericalGeodesy.haversine(from: centre, to: $0) <= haversine
            } ?? false
        case .inRing(let ring): return value.placeValue.map { ring.contains($0) } ?? false
        case .holds(let place): return value.polygon.map { WhereRing($0).contains(place) } ?? false
        case .hasWords(let words):
            return WhereTest.some(of: value) {
                if case .text(let text) = $0 { words.score(of: text) > 0 } else { false }
            }
        case .among, .never: return false
        }
    }

    /// Whether a value, or an element of a list, satisfies something.
    private static func some(of value: FieldValue, _ test: (FieldValue) -> Bool) -> Bool {
        if let elements = value.list { return elements.contains(where: test) }
        return test(value)
    }

    /// Whether two values of one kind are in order; values of two kinds never are.
    private static func precedes(
        _ left: FieldValue, _ right: FieldValue, orEqual: Bool
    ) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a < b || orEqual && a == b
        case (.date(let a), .date(let b)): a < b || orEqual && a == b
        case (.text(let a), .text(let b)):
            orEqual
                ? !b.utf8.lexicographicallyPrecedes(a.utf8)
                : a.utf8.lexicographicallyPrecedes(b.utf8)
        default: false
        }
    }

    private static func matches(
        _ value: FieldValue, _ pattern: WherePattern
    ) throws(WherePattern.TooCostly) -> Bool {
        if case .text(let text) = value { return try pattern.matches(text) }
        for element in value.list ?? [] {
            if case .text(let text) = element, try pattern.matches(text) { return true }
        }
        return false
    }
}

extension FieldValue {
    fileprivate var placeValue: RoundedPosition? {
        if case .place(let place) = self { place } else { nil }
    }
}
