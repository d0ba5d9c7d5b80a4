import JSONText
import TestSupport
import Testing

@testable import GeoStore

@Suite("Queries and their brute-force twin")
struct QueryTwinTests {
    @Test("every source gives what looking at every object gives", arguments: 0..<6)
    func sources(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let world = try QueryWorld(&random)
        defer { world.store.close() }
        let catalog = world.store.catalog
        var used: Set<QueryPlan.Kind> = []
        for turn in 0..<40 {
            var json = QueryWorld.condition(&random)
            if turn == 1 { json = ["objectId": ["$in": ["id0", "id791", "id838"]]] }
            if turn % 8 == 0 {
                // The order of the distance, whatever else is asked.
                let place = QueryWorld.places.randomElement(using: &random) ?? .null
                json = ["$and": [json], "place": ["$nearSphere": place]]
            }
            var query = ObjectQuery(
                "T", try Where(json, of: "T", options: .init(takesNear: true)),
                limit: [0, 1, 5, 20, 1000].randomElement(using: &random) ?? 5)
            if json == [:], Bool.random(using: &random) { query.condition = nil }
            if turn % 8 > 0 { query.order = QueryWorld.order(&random) }
            query.skip = [0, 0, 3, 40].randomElement(using: &random) ?? 0
            query.wantsCount = turn % 8 > 0 && Int.random(in: 0..<3, using: &random) == 0
            for caller in QueryWorld.callers {
                let all = try world.twin(query, caller)
                let page = all.dropFirst(query.skip).prefix(query.limit)
                for kind in [nil] + QueryPlan.Kind.allCases.map({ $0 }) {
                    let access = world.access(
                        caller, catalog, isAsked: Int.random(in: 0..<3, using: &random) == 0)
                    let found = try world.store.read {
                        try $0.select(query, for: access, from: kind)
                    }
                    if let source = found.source { used.insert(source) }
                    let note: Comment =
                        "seed \(seed), turn \(turn), \(json), \(query.order), \(kind as Any), \(caller)"
                    #expect(found.ids == page.map(\.objectId), note)
                    if let objects = found.objects {
                        #expect(try objects.map { try $0.document() } == Array(page), note)
                    }
                    #expect(found.count == (query.wantsCount ? all.count : nil), note)
                    guard turn % 4 == 0 else { continue }
                    let again = try world.store.read {
                        try $0.found("T", ids: found.ids, for: access).map { try $0.document() }
                    }
                    #expect(again == Array(page), note)
                }
            }
        }
        #expect(used == Set(QueryPlan.Kind.allCases))
    }
}
