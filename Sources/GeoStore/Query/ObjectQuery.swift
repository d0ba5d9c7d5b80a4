package import GeoIndex

/// Which objects of a class are asked for.
package struct ObjectQuery {
    /// The class.
    package var className: String
    /// What the objects fulfil; nil is all of them.
    package var condition: Where?
    /// By what they are put in order. Empty: nearest first when the condition is near a place,
    /// else by id. The id is always the last key.
    package var order: [ObjectOrder] = []
    /// Whether what fits the words of `$text` best comes first, before all other keys.
    package var isByScore = false
    /// How many of the first to leave out.
    package var skip = 0
    /// How many at most.
    package var limit: Int
    /// Whether all matches are counted.
    package var wantsCount = false

    /// Whether the store's columns say all: there is no condition, and the time of the last change
    /// decides the order, in which nothing else can be read.
    fileprivate var isInOrderOfColumns: Bool {
        guard condition == nil, !wantsCount, !isByScore else { return false }
        return order.contains { $0.key == .updatedAt }
            && order.allSatisfy { if case .field = $0.key { false } else { true } }
    }

    /// A query.
    package init(_ className: String, _ condition: Where? = nil, limit: Int) {
        self.className = className
        self.condition = condition
        self.limit = limit
    }
}

/// Who asks: what is there for them, and in which form.
///
/// An object is judged as it is shown, so that what is hidden of it shows in no answer, order or
/// count either.
package struct QueryAccess {
    /// Which objects of a class are there.
    package var scope: (_ className: String) -> ObjectScope
    /// An object as it is shown; nil when it is not there.
    package var shown: (Document) -> Document?
    /// The class as of the last commit.
    package var schema: (_ className: String) -> ClassSchema?
    /// The index of the places of a class's public objects that have not expired; nil without one.
    /// It may be behind or ahead of the store by a commit that overlaps with the query.
    package var places: (_ className: String) -> IndexSnapshot?
    /// Where objects are to the caller that everybody else is shown elsewhere, because they are his,
    /// by id. Whether he may read them is asked all the same.
    package var owned: (_ className: String) -> [String: RoundedPosition]
    /// How finely the places of a class are shown at best to all but their owners; nil asks nothing.
    package var leastAccuracy: (_ className: String) -> LocationAccuracy?
    /// Whose objects of a class are shown as they are stored; nil where each is asked about.
    package var stored: (_ className: String) -> StoredView?
    /// Whether places are exact for the caller, and what has expired is there.
    package var seesEverything: Bool

    /// An access.
    package init(
        scope: @escaping (_ className: String) -> ObjectScope,
        shown: @escaping (Document) -> Document?,
        schema: @escaping (_ className: String) -> ClassSchema?,
        places: @escaping (_ className: String) -> IndexSnapshot? = { _ in nil },
        owned: @escaping (_ className: String) -> [String: RoundedPosition] = { _ in [:] },
        leastAccuracy: @escaping (_ className: String) -> LocationAccuracy? = { _ in nil },
        stored: @escaping (_ className: String) -> StoredView? = { _ in nil },
        seesEverything: Bool
    ) {
        self.scope = scope
        self.shown = shown
        self.schema = schema
        self.places = places
        self.owned = owned
        self.leastAccuracy = leastAccuracy
        self.stored = stored
        self.seesEverything = seesEverything
    }
}

/// What a query found.
package struct ObjectSelection {
    /// The ids of the page, in order.
    package fileprivate(set) var ids: [String] = []
    /// The objects of the page; nil when there are many, to be read by id.
    package fileprivate(set) var objects: [FoundObject]?
    /// How many match, without limit and skip, when that was asked.
    package fileprivate(set) var count: Int?
    /// How many objects were read to find them.
    package fileprivate(set) var lookedAt = 0
    /// The field by whose index they were found.
    package fileprivate(set) var indexedField: String?
    /// From where they were taken.
    package fileprivate(set) var source: QueryPlan.Kind?
}

extension Reader {
    /// Finds objects.
    ///
    /// - Throws: ``WhereError`` `tooCostly`, ``StoreError``: `timeout` beyond the read's limit.
    /// - Complexity: See ``QueryPlan``.
    package func select(
        _ query: ObjectQuery, for access: QueryAccess, from forced: QueryPlan.Kind? = nil
    ) throws -> ObjectSelection {
        let run = QueryRun(connection, access)
        var selection = ObjectSelection()
        if query.isInOrderOfColumns, forced == nil {
            selection.ids = try objectIds(
                of: query.className, orderedBy: query.order, in: access.scope(query.className),
                skip: query.skip, limit: query.limit)
            return selection
        }
        guard let collector = try run.collect(query, from: forced) else {
            selection.objects = []
            selection.count = query.wantsCount ? 0 : nil
            return selection
        }
        let page = collector.page
        selection.ids = page.map(\.id)
        if collector.keepsObjects { selection.objects = page.compactMap(\.object) }
        if query.wantsCount { selection.count = collector.matched }
        selection.lookedAt = run.lookedAt
        selection.source = run.source?.kind
        if case .keys(let index, _)? = run.source { selection.indexedField = index.field }
        return selection
    }

    /// Calls `body` for every object that matches, in no order, until it gives false.
    ///
    /// - Throws: As ``select(_:for:from:)``, and what `body` throws.
    package func visit(
        _ className: String, _ condition: Where?, for access: QueryAccess,
        _ body: (Document) throws -> Bool
    ) throws {
        try QueryRun(connection, access).visit(className, condition, body)
    }
}
