import JSONText
import TestSupport
import Testing

@testable import GeoStore

@Suite struct ReaderBatchTests {
    @Test(
        "many objects at once are those that are read one by one",
        arguments: [0, 1, 8, 9, 127, 128, 129, 300], [1, 2] as [UInt64])
    func batches(count: Int, seed: UInt64) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<400 where number % 3 != 0 {
                try transaction.insert(.spot("id-\(number)", ["n": .integer(Int64(number))]))
            }
        }
        var random = SeededGenerator(seed: seed)
        // Some are not there, some stand twice.
        let ids = (0..<count).map { _ in "id-\(Int.random(in: 0..<420, using: &random))" }
        try store.read { reader in
            let together = try reader.objects("Spot", ids: ids)
            #expect(together.count == ids.count)
            for (id, found) in zip(ids, together) {
                #expect(found == (try reader.object("Spot", id)))
            }
            #expect(try reader.objects("Other", ids: ids) == ids.map { _ in nil })
        }
    }

    @Test("a scan of places sees what has one, and on demand only what is public")
    func scan() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        try store.write { transaction in
            try transaction.insert(.spot("open"))
            try transaction.insert(.spot("hidden", acl: AccessList()))
            try transaction.insert(
                Document(
                    className: "Spot", objectId: "nowhere", createdAt: Timestamp(milliseconds: 1),
                    fields: [:]))
        }
        for (onlyPublic, expected) in [(true, ["open"]), (false, ["open", "hidden"])] {
            var seen: [String] = []
            try store.read { reader in
                try reader.scanPlaces("Spot", onlyPublic: onlyPublic) { located, document in
                    #expect(located.objectId == document.objectId)
                    #expect(located.isPublic == document.isPublic)
                    seen.append(document.objectId)
                }
            }
            #expect(seen == expected)
        }
    }

    @Test("a class has places while an object has one, whoever may read it")
    func places() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        func expectPlaces(_ expected: Bool) throws {
            #expect(try store.read { try $0.hasPlaces("Spot") } == expected)
            #expect(try store.write { try $0.hasPlaces("Spot") } == expected)
        }
        try expectPlaces(false)
        try store.write { transaction in
            try transaction.insert(
                Document(
                    className: "Spot", objectId: "nowhere", createdAt: Timestamp(milliseconds: 1),
                    fields: [:]))
        }
        try expectPlaces(false)
        try store.write { transaction in
            try transaction.insert(.spot("hidden", acl: AccessList()))
            #expect(try transaction.hasPlaces("Spot"))
        }
        try expectPlaces(true)
        _ = try store.write { try $0.delete("Spot", "hidden") }
        try expectPlaces(false)
    }
}
