import GeoIndex

/// By what matches are put in order, and how values compare.
struct QueryOrder {
    private enum Key {
        case path(WherePath, isDescending: Bool)
        /// From this place, nearest first.
        case distance(WherePath, from: RoundedPosition)
        /// By words found in a field, most first.
        case score(WherePath, WhereWords)
    }

    private var keys: [Key] = []

    init(_ query: ObjectQuery) {
        if query.isByScore, let condition = query.condition, let found = condition.words {
            keys.append(.score(condition.paths[found.number], found.words))
        }
        for key in query.order {
            keys.append(.path(WherePath(key.key), isDescending: key.isDescending))
        }
        if query.order.isEmpty, !query.isByScore, let near = query.condition?.near {
            keys.append(.distance(near.path, from: near.centre))
        }
    }

    /// What an object is compared by.
    func values(of row: ObjectRow) throws(StoreError) -> [FieldValue] {
        try keys.map { key throws(StoreError) in
            switch key {
            case .path(let path, _): return try row.value(path)
            case .distance(let path, let centre):
                guard case .place(let place) = try row.value(path) else {
                    return .number(.infinity)
                }
                return .number(SphericalGeodesy.haversine(from: centre, to: place))
            case .score(let path, let words):
                let value = try row.value(path)
                let texts = value.list ?? [value]
                let score = texts.reduce(0) { sum, element in
                    if case .text(let text) = element { sum + words.score(of: text) } else { sum }
                }
                return .number(-Double(score))
            }
        }
    }

    /// Whether one object comes before another.
    func precedes(_ left: QueryEntry, _ right: QueryEntry) -> Bool {
        for (index, key) in keys.enumerated() {
            let order = QueryOrder.compare(left.values[index], right.values[index])
            if order == 0 { continue }
            if case .path(_, true) = key { return order > 0 }
            return order < 0
        }
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }

    /// Less than, equal to or greater than zero, as the first value comes before, with or after the
    /// second: nothing, then numbers (false is 0, true is 1), texts by their bytes, dates, pointers,
    /// files; then what has no order.
    static func compare(_ left: FieldValue, _ right: FieldValue) -> Int {
        let (a, b) = (rank(left), rank(right))
        if a != b { return a - b }
        switch (left, right) {
        case (.date(let a), .date(let b)): return a < b ? -1 : a > b ? 1 : 0
        case (.text(let a), .text(let b)), (.reference(let a), .reference(let b)),
            (.file(let a), .file(let b)):
            if a.utf8.lexicographicallyPrecedes(b.utf8) { return -1 }
            return b.utf8.lexicographicallyPrecedes(a.utf8) ? 1 : 0
        default:
            guard let a = number(left), let b = number(right) else { return 0 }
            return a < b ? -1 : a > b ? 1 : 0
        }
    }

    private static func number(_ value: FieldValue) -> Double? {
        switch value {
        case .number(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    private static func rank(_ value: FieldValue) -> Int {
        switch value {
        case .missing, .null: 0
        case .bool, .number: 1
        case .text: 2
        case .date: 3
        case .reference: 4
        case .file: 5
        case .place: 6
        case .compound: 7
        }
    }
}

extension WherePath {
    /// The path of a key of an order.
    fileprivate init(_ key: ObjectOrder.Key) {
        switch key {
        case .objectId: self = .objectId
        case .createdAt: self.init(trusted: "createdAt")
        case .updatedAt: self.init(trusted: "updatedAt")
        case .field(let names): self.init(trusted: names.joined(separator: "."))
        }
    }
}

extension FieldValue {
    /// Less than, equal to or greater than zero, as the first value comes before, with or after the
    /// second in an order.
    package static func order(_ left: FieldValue, _ right: FieldValue) -> Int {
        QueryOrder.compare(left, right)
    }
}

/// A match that may be in the page.
struct QueryEntry {
    let values: [FieldValue]
    let id: String
    let object: FoundObject?
}

/// Gathers matches: counts them, and keeps those that may be in the page.
final class QueryCollector {
    private let order: QueryOrder
    private let query: ObjectQuery
    /// Whether matches come in the query's order.
    private let isInOrder: Bool
    /// How many entries the page and what it skips have.
    let wanted: Int
    /// Whether entries have their objects.
    let keepsObjects: Bool
    private var entries: [QueryEntry] = []
    private(set) var matched = 0

    /// Pages of at most so many objects keep them in memory; of others the ids alone.
    private static let fewObjects = 256

    init(_ query: ObjectQuery, isInOrder: Bool) {
        self.query = query
        self.isInOrder = isInOrder
        order = QueryOrder(query)
        wanted = query.limit == 0 ? 0 : query.skip + query.limit
        keepsObjects = wanted <= QueryCollector.fewObjects
    }

    /// Whether no further match can change the answer, when they come in order.
    var isFull: Bool { !query.wantsCount && matched >= wanted }

    /// Takes one match; false when no more are wanted.
    func take(_ row: ObjectRow) throws(StoreError) -> Bool {
        matched += 1
        guard wanted > 0 else { return query.wantsCount }
        if isInOrder {
            if entries.count < wanted { try append(row) }
            return !isFull
        }
        try append(row)
        // Twice the page is sorted and halved, so that memory stays bounded by the page.
        if entries.count >= 2 * wanted + 256 { cut() }
        return true
    }

    private func append(_ row: ObjectRow) throws(StoreError) {
        entries.append(
            QueryEntry(
                values: isInOrder ? [] : try order.values(of: row), id: row.objectId,
                object: keepsObjects ? try row.found() : nil))
    }

    private func cut() {
        entries.sort { order.precedes($0, $1) }
        entries.removeLast(max(0, entries.count - wanted))
    }

    /// The page, in order.
    var page: ArraySlice<QueryEntry> {
        if !isInOrder { cut() }
        return entries.dropFirst(query.skip).prefix(query.limit)
    }
}
