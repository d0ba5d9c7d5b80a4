import JSONText
import Testing

@testable import GeoStore

@Suite("Reads with a deadline")
struct ReadDeadlineTests {
    private static func store(_ count: Int, in scratch: Scratch) throws -> SQLiteStore {
        let store = try scratch.open()
        try store.write { transaction in
            for index in 0..<count {
                try transaction.insert(try .spot("s\(index)", ["n": .integer(Int64(index))]))
            }
        }
        return store
    }

    @Test("what takes longer ends with a timeout, and the reader is as good as new")
    func timeout() throws {
        let scratch = try Scratch()
        let store = try Self.store(2_000, in: scratch)
        let order = [ObjectOrder(.field(["n"]), isDescending: true)]
        // More rounds than there are readers: each of them meets its deadline and is used again.
        for _ in 0..<10 {
            #expect(throws: StoreError.timeout) {
                try store.read(within: .zero) { reader in
                    _ = try reader.objectIds(
                        of: "Spot", orderedBy: order, in: ObjectScope(readers: .master), skip: 0,
                        limit: 1)
                }
            }
            #expect(throws: StoreError.timeout) {
                try store.read(within: .zero) { _ = try $0.objects("Spot", ids: ["s1"]).count }
            }
            #expect(throws: StoreError.timeout) {
                try store.read(within: .zero) { _ = try $0.count(of: "Spot") }
            }
            let first = try store.read { reader in
                try reader.objectIds(
                    of: "Spot", orderedBy: order, in: ObjectScope(readers: .master), skip: 0,
                    limit: 1)
            }
            #expect(first == ["s1999"])
        }
        let count = try store.read(within: .seconds(600)) { try $0.count(of: "Spot") }
        #expect(count == 2_000)
    }

    @Test("the stored size of an object")
    func byteCount() throws {
        let scratch = try Scratch()
        let store = try Self.store(1, in: scratch)
        try store.write { try $0.insert(Document.note("n", 100_000)) }
        let wanted = [("Note", "n"), ("Note", "s0"), ("None", "n")]
        let sizes = try store.read { reader in
            try wanted.map { try reader.byteCount($0.0, $0.1) }
        }
        #expect(sizes == [100_000 + #"{"t":""}"#.utf8.count, nil, nil])
    }
}

extension Document {
    fileprivate static func note(_ id: String, _ length: Int) -> Document {
        Document(
            className: "Note", objectId: id, createdAt: Timestamp(milliseconds: 0),
            fields: ["t": .string(String(repeating: "x", count: length))])
    }
}
