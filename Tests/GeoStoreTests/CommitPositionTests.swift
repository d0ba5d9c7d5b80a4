import GeoIndex
import JSONText
import Testing

@testable import GeoStore

/// The positions of classes: equal only where the located objects are.
struct CommitPositionTests {
    private func position(_ store: SQLiteStore, _ name: String = "Spot") throws -> CommitPosition? {
        try store.read { try $0.position(of: name) }
    }

    @Test("each commit of located objects moves its class alone; the observer is told")
    func moves() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<CommitPosition>()
        store.observeCommits { _, position in seen.add(position) }
        #expect(try position(store) == nil)
        try store.write { try $0.insert(.spot("a")) }
        let first = try #require(try position(store))
        #expect(seen.all.last == first)
        try store.write {
            try $0.insert(
                Document(className: "Note", objectId: "n", createdAt: .now(), fields: [:]))
        }
        #expect(try position(store) == first)
        #expect(try position(store, "Note") == nil)
        try store.write { try $0.replace(.spot("a", lon: 7)) }
        let second = try #require(try position(store))
        #expect(second != first && seen.all.last == second)
        _ = try store.write { try $0.delete("Spot", "a") }
        #expect(try position(store) != second)
    }

    @Test("what is undone moves nothing")
    func undone() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { try $0.insert(.spot("a")) }
        let before = try position(store)
        #expect(throws: StoreError.closed) {
            try store.write { transaction in
                try transaction.insert(.spot("b"))
                throw StoreError.closed
            }
        }
        #expect(try position(store) == before)
    }

    @Test("an object without a place moves its class only when it had one, or gets one")
    func withoutPlace() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { try $0.insert(.spot("a")) }
        let first = try position(store)
        let plain = Document(className: "Spot", objectId: "b", createdAt: .now(), fields: [:])
        try store.write { try $0.insert(plain) }
        #expect(try position(store) == first)
        try store.write { try $0.replace(.spot("b")) }
        let second = try position(store)
        #expect(second != first)
        try store.write { try $0.replace(plain) }
        #expect(try position(store) != second)
    }

    @Test("another process never gives a position that was given before")
    func epochs() throws {
        let scratch = try Scratch()
        var positions: Set<CommitPosition> = []
        for number in 0..<5 {
            let store = try scratch.open()
            try store.write { try $0.insert(.spot("a\(number)")) }
            positions.insert(try #require(try position(store)))
            store.close()
        }
        #expect(positions.count == 5)
        let store = try scratch.open()
        #expect(positions.contains(try #require(try position(store))))
    }
}
