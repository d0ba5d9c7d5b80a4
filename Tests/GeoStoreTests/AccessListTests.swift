import GeoStore
import JSONText
import TestSupport
import Testing

@Suite("Access lists")
struct AccessListTests {
    @Test("only granted rights are kept, in the order of principals")
    func canonical() throws {
        let list = try AccessList([
            "role:editors": ["write": true, "read": false], "abc": ["read": true, "write": true],
            "*": ["read": true], "nobody": [:], "gone": nil, "no": ["read": false],
        ])
        #expect(
            String(decoding: JSONWriter.encode(list.json), as: UTF8.self)
                == #"{"*":{"read":true},"abc":{"read":true,"write":true},"role:editors":{"write":true}}"#
        )
        #expect(list.publicCanRead)
        #expect(!list[AccessList.everybody].contains(.write))
        #expect(try AccessList(list.json) == list)
    }

    @Test(
        "the same rights granted in any order are the same list", arguments: 0..<16 as Range<UInt64>
    )
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let principals = ["*", "b", "a", "role:x", "Z"]
        var lists: [AccessList] = []
        for _ in 0..<2 {
            var list = AccessList()
            for principal in principals.shuffled(using: &random) {
                list[principal] = .write
                list[principal] = [.read]
            }
            list["a"] = []
            lists.append(list)
        }
        #expect(lists[0] == lists[1])
        #expect(lists[0].entries.map(\.principal) == ["*", "Z", "b", "role:x"])
    }

    @Test(
        "what is no access list is refused",
        arguments: [
            nil, 1, "x", [], ["*": true], ["*": ["read": 1]], ["*": ["read": nil]],
            ["*": ["own": true]], ["": ["read": true]], ["role:": ["read": true]],
        ] as [JSONValue])
    func refused(value: JSONValue) {
        #expect(throws: SchemaError.self) { try AccessList(value) }
    }
}
