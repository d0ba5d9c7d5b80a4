import GeoIndex

/// From where a query takes the objects that it judges.
///
/// | source | when | objects read |
/// |---|---|---|
/// | ids | the ids are said, or a relation's members | as many |
/// | keys | an index has the field | those with the key; by `createdAt` only the page |
/// | nearest | `$nearSphere` decides the order | about the page, as far as the rest allows |
/// | area | a box, a circle, a polygon | those in it, or in its box |
/// | created | `createdAt` is bounded, or decides the order | those, or about the page |
/// | byId | the id decides the order | about the page |
/// | everything | else | all that the caller may read |
///
/// Whatever is read is judged by the whole condition, so that all sources give the same.
package struct QueryPlan {
    /// The kinds of sources.
    package enum Kind: Hashable, Sendable, CaseIterable {
        case ids, keys, nearest, area, created, byId, everything
    }

    /// A source.
    enum Source {
        case ids([String])
        case keys(ValueIndex, [KeyRange])
        case nearest(IndexSnapshot, Where.Near)
        case area(IndexSnapshot, [WhereTest], field: String)
        case created(ClosedRange<Int64>)
        case byId(least: String, greatest: String)
        case everything

        var kind: Kind {
            switch self {
            case .ids: .ids
            case .keys: .keys
            case .nearest: .nearest
            case .area: .area
            case .created: .created
            case .byId: .byId
            case .everything: .everything
            }
        }
    }

    let source: Source
    /// Whether objects come in the query's order.
    var isInOrder = false
    /// Whether they come from the greatest to the least.
    var isDescending = false
}

extension QueryRun {
    /// The sources that a query could use.
    private func plans(_ query: ObjectQuery, _ number: Int64) throws -> [QueryPlan] {
        let bounds = QueryBounds(query.condition)
        let schema = access.schema(query.className)
        let order = QueryRun.leading(query)
        var plans: [QueryPlan] = []
        if let ids = bounds.ids { plans.append(QueryPlan(source: .ids(ids.sorted()))) }
        if !bounds.indexable.isEmpty {
            for index in try connection.indexes.indexes(of: query.className, class: number)
            where index.state == .whole {
                let type = schema?.fields[index.field]
                guard
                    let ranges = bounds.ranges(
                        of: index.field, isSingle: type != nil && type != .array)
                else { continue }
                let isOne = ranges.count == 1 && ranges[0].isOneKey
                plans.append(
                    QueryPlan(
                        source: .keys(index, ranges), isInOrder: isOne && order?.key == .createdAt,
                        isDescending: order?.isDescending ?? false))
            }
        }
        if let field = schema?.geoPointField, let snapshot = access.places(query.className) {
            if query.order.isEmpty, !query.isByScore, !query.wantsCount,
                let near = query.condition?.near, near.path.names == [field]
            {
                plans.append(QueryPlan(source: .nearest(snapshot, near)))
            }
            if let tests = bounds.areas(of: field) {
                plans.append(QueryPlan(source: .area(snapshot, tests, field: field)))
            }
        }
        if bounds.created != nil || order?.key == .createdAt {
            plans.append(
                QueryPlan(
                    source: .created(bounds.created ?? .min ... .max),
                    isInOrder: order?.key == .createdAt,
                    isDescending: order?.isDescending ?? false))
        }
        let ids = bounds.idRange
        if order?.key == .objectId || !ids.least.isEmpty || ids.greatest != "~" {
            plans.append(
                QueryPlan(
                    source: .byId(least: ids.least, greatest: ids.greatest),
                    isInOrder: order?.key == .objectId,
                    isDescending: order?.isDescending ?? false))
        }
        plans.append(QueryPlan(source: .everything))
        return plans
    }

    /// The key by which objects can be read in order: by time, or by id; nil for other orders.
    private static func leading(_ query: ObjectQuery) -> ObjectOrder? {
        guard !query.isByScore else { return nil }
        guard let first = query.order.first else {
            return query.condition?.near == nil ? ObjectOrder(.objectId) : nil
        }
        switch first.key {
        case .objectId: return first
        case .createdAt:
            let rest = query.order.dropFirst()
            return rest.isEmpty || rest.first == ObjectOrder(.objectId) ? first : nil
        case .updatedAt, .field: return nil
        }
    }

    /// The source that is likely to read least.
    ///
    /// - Parameter forced: Takes this one, where it can answer the query.
    func plan(
        _ query: ObjectQuery, _ number: Int64, from forced: QueryPlan.Kind?
    ) throws -> QueryPlan {
        let plans = try plans(query, number)
        let fallback = QueryPlan(source: .everything)
        if let forced { return plans.first { $0.source.kind == forced } ?? fallback }
        if let plan = QueryRun.plainBest(plans, query) { return plan }
        let sizes = try plans.map { try size(of: $0.source, query) }
        let matches = max(1, sizes.min() ?? 1)
        let wanted = Double(query.skip + query.limit)
        var best = (cost: Double.infinity, plan: fallback)
        for (plan, size) in zip(plans, sizes) {
            var cost = size
            let stops = plan.isInOrder || plan.source.kind == .nearest
            if stops, !query.wantsCount || query.condition == nil {
                cost = min(size, wanted * max(1, size / matches))
            }
            if cost < best.cost { best = (cost, plan) }
        }
        return best.plan
    }

    /// The source that needs no estimate to be the best; nil when there is none such.
    private static func plainBest(_ plans: [QueryPlan], _ query: ObjectQuery) -> QueryPlan? {
        if plans.count == 1 { return plans[0] }
        func plan(_ kind: QueryPlan.Kind) -> QueryPlan? {
            plans.first { $0.source.kind == kind }
        }
        let kinds = Set(plans.map(\.source.kind))
        // Nothing but places is said: the nearest are read until the page is full.
        if kinds.isSubset(of: [.nearest, .area, .everything]), let nearest = plan(.nearest) {
            return nearest
        }
        // Everything in the order of the query is a match.
        if query.condition == nil, let inOrder = plans.first(where: \.isInOrder) {
            return inOrder
        }
        guard case .field? = query.condition?.condition, !query.wantsCount else { return nil }
        return plans.first { $0.source.kind == .keys && $0.isInOrder }
    }

    /// About how many objects a source has; counted up to a bound only.
    private func size(of source: QueryPlan.Source, _ query: ObjectQuery) throws -> Double {
        switch source {
        case .ids(let ids): return Double(ids.count)
        case .keys(let index, let ranges):
            var sum = 0
            for range in ranges where sum < QueryRun.greatestEstimate {
                sum += try count(of: range, in: index)
            }
            return Double(sum)
        case .nearest(let snapshot, let near):
            return Double(
                QueryRun.areas([.inCircle(centre: near.centre, haversine: near.haversine)])
                    .reduce(0) { $0 + snapshot.count(in: $1) } + 1)
        case .area(let snapshot, let tests, _):
            return Double(
                QueryRun.areas(tests).reduce(0) { $0 + snapshot.count(in: $1) } + 1)
        case .created(let range):
            // A bound on one side only says little.
            return range == .min ... .max ? total(query) : total(query) / 5
        case .byId(let least, let greatest):
            let isBounded = !least.isEmpty || greatest != "~"
            return total(query) / (isBounded ? 2 : 1)
        case .everything: return total(query)
        }
    }

    /// About how many objects a class has: as many as its map, or as are taken for many.
    private func total(_ query: ObjectQuery) -> Double {
        max(QueryRun.unknownCount, Double(access.places(query.className)?.count ?? 0))
    }

    /// Objects that a class is taken to have: counting them would cost more than it tells.
    private static let unknownCount = 100_000.0
    /// How many keys are counted to see whether an index is worth it.
    static let greatestEstimate = 2_000

    private func count(of range: KeyRange, in index: ValueIndex) throws -> Int {
        try connection.queries.with(
            """
            SELECT count(*) FROM (SELECT 1 FROM value_keys
                WHERE number = ?1 AND key BETWEEN ?2 AND ?3 LIMIT \(QueryRun.greatestEstimate))
            """
        ) { rows in
            rows.bind(index.number, at: 1)
            rows.bind(range.least, at: 2)
            rows.bind(range.greatest, at: 3)
            return try rows.step() ? Int(rows.integer(0)) : 0
        }
    }
}
