import GeoIndex
import GeoStore
import JSONText
import TestSupport
import Testing

@Suite("The store and its twin")
struct StoreTwinTests {
    private struct Refusal: Error {}

    /// What the store should do, on a dictionary.
    private struct Twin {
        var documents: [String: Document] = [:]

        static func key(_ document: Document) -> String {
            document.className + "/" + document.objectId
        }

        mutating func upsert(_ document: Document) -> UpsertOutcome {
            guard var known = documents[Twin.key(document)] else {
                documents[Twin.key(document)] = document
                return .added
            }
            let before = known
            for member in document.fields { known.fields[member.key] = member.value }
            if let acl = document.acl { known.acl = acl }
            if known == before { return .unchanged }
            known.updatedAt = document.updatedAt
            documents[Twin.key(document)] = known
            return .updated
        }
    }

    private static func randomDocument(using random: inout SeededGenerator, step: Int) throws
        -> Document
    {
        var fields: JSONObject = [:]
        if Int.random(in: 0..<4, using: &random) > 0 {
            fields["place"] = GeoPointField.json(
                try LonLat(
                    lon: Double(Int.random(in: -180...180, using: &random)),
                    lat: Double(Int.random(in: -90...90, using: &random))))
        }
        if Bool.random(using: &random) {
            fields["kind"] = .string(["a", "b"].randomElement(using: &random) ?? "a")
        }
        if Bool.random(using: &random) {
            fields["n"] = .integer(Int64.random(in: 0...3, using: &random))
        }
        if Bool.random(using: &random) {
            fields["list"] = [.bool(Bool.random(using: &random)), nil]
        }
        let acls: [AccessList?] = [nil, nil, AccessList(), AccessList(everybody: .read)]
        return Document(
            className: ["A", "B"].randomElement(using: &random) ?? "A",
            objectId: "id\(Int.random(in: 0..<30, using: &random))",
            createdAt: Timestamp(milliseconds: Int64(step)),
            acl: acls.randomElement(using: &random) ?? nil, fields: fields)
    }

    @Test(
        "random jobs leave the store, its readers and its observer with what a dictionary has",
        arguments: 0..<24 as Range<UInt64>)
    func randomJobs(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        var store = try scratch.open()
        var twin = Twin()
        var seen = Collector<[DocumentChange]>()
        let first = seen
        store.observeCommits { changes, _ in first.add(changes) }
        var observed: [String: Document] = [:]
        var located: [String: LocatedObject] = [:]

        func absorb(_ groups: [[DocumentChange]]) {
            for change in groups.joined() {
                let key = change.className + "/" + change.objectId
                #expect(observed[key] == change.before)
                #expect(located[key] == change.locatedBefore)
                observed[key] = change.after
                located[key] = change.locatedAfter
            }
        }

        for step in 0..<60 {
            var after = twin
            var actions: [@Sendable (inout WriteTransaction) throws -> Void] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let document = try Self.randomDocument(using: &random, step: step)
                let known = after.documents[Twin.key(document)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    after.documents[Twin.key(document)] = nil
                    actions.append {
                        let deleted = try $0.delete(document.className, document.objectId)
                        #expect(deleted == known)
                    }
                case 1 where known != nil:
                    after.documents[Twin.key(document)] = document
                    actions.append { try $0.replace(document) }
                case 2 where known != nil:
                    actions.append { transaction in
                        do {
                            try transaction.insert(document)
                            Issue.record("a second object of one id")
                        } catch StoreError.objectExists {}
                    }
                default:
                    let expected = after.upsert(document)
                    actions.append {
                        let outcome = try $0.upsert(document)
                        #expect(outcome == expected)
                    }
                }
            }
            let fails = Int.random(in: 0..<4, using: &random) == 0
            let work = actions
            do {
                try store.write { transaction in
                    for action in work { try action(&transaction) }
                    if fails { throw Refusal() }
                }
                twin = after
            } catch is Refusal {}
            if step % 20 == 19 {
                store.close()
                absorb(seen.all)
                store = try Self.reopened(&store, scratch)
                let next = Collector<[DocumentChange]>()
                seen = next
                store.observeCommits { changes, _ in next.add(changes) }
            }
        }
        absorb(seen.all)
        #expect(observed == twin.documents)
        try Self.compare(store, twin.documents, located)
    }

    /// Lets go of the closed store, whose directory is locked until then, and opens it again.
    private static func reopened(
        _ store: inout SQLiteStore, _ scratch: Scratch
    ) throws -> SQLiteStore {
        let empty = try Scratch()
        store = try empty.open()
        return try scratch.open()
    }

    private static func compare(
        _ store: SQLiteStore, _ documents: [String: Document], _ located: [String: LocatedObject]
    ) throws {
        for className in ["A", "B"] {
            let expected = documents.values.filter { $0.className == className }
                .sorted { $0.objectId < $1.objectId }
            try store.read { reader in
                var scanned: [Document] = []
                try reader.scan(className) { document in
                    scanned.append(document)
                    return true
                }
                #expect(scanned == expected)
                let count = try reader.count(of: className)
                #expect(count == expected.count)
                let found = try reader.objects(className, ids: expected.map(\.objectId))
                #expect(found == expected)
                var places: [LocatedObject] = []
                try reader.scanLocated(className) { places.append($0) }
                let expectedPlaces = expected.compactMap {
                    located[$0.className + "/" + $0.objectId]
                }
                places.sort { $0.objectId < $1.objectId }
                #expect(places == expectedPlaces)
                #expect(
                    places.map { $0.position } == expected.compactMap { $0.location?.position })
            }
        }
    }
}
