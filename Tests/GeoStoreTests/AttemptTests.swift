import GeoIndex
import GeoStore
import JSONText
import Testing

@Suite("Parts of a job that may fail for themselves")
struct AttemptTests {
    private struct Wanted: Error {}

    @Test("a failed part leaves nothing, neither rows nor fields nor changes, and the job goes on")
    func failedParts() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<[DocumentChange]>()
        store.observeCommits { changes, _ in seen.add(changes) }
        let failures = try store.write { transaction in
            var failures: [Int] = []
            for number in 0..<9 {
                let result = try transaction.attempt { part in
                    try part.insert(try .spot("id\(number)", ["f\(number)": 1]))
                    if number % 3 == 0 { throw Wanted() }
                }
                if case .failure = result { failures.append(number) }
            }
            return failures
        }
        #expect(failures == [0, 3, 6])
        let kept = [1, 2, 4, 5, 7, 8]
        #expect(seen.all.count == 1)
        #expect(seen.all.first?.map(\.objectId) == kept.map { "id\($0)" })
        #expect(try store.read { try $0.count(of: "Spot") } == kept.count)
        #expect(store.catalog["Spot"]?.fields.keys.sorted() == kept.map { "f\($0)" } + ["place"])
    }

    @Test("parts go with the job that fails after them, and nest")
    func failedJob() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        #expect(throws: Wanted.self) {
            try store.write { transaction in
                _ = try transaction.attempt { try $0.insert(try .spot("a")) }
                throw Wanted()
            }
        }
        #expect(store.catalog["Spot"] == nil)
        try store.write { transaction in
            _ = try transaction.attempt { outer in
                try outer.insert(try .spot("outer"))
                _ = try outer.attempt { inner in
                    try inner.insert(try .spot("inner"))
                    throw Wanted()
                }
            }
        }
        #expect(
            try store.read {
                try $0.objectIds(
                    of: "Spot", in: ObjectScope(readers: .anonymous), skip: 0, limit: 9)
            }
                == ["outer"])
    }
}
