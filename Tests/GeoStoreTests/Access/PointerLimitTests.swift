import JSONText
import TestSupport
import Testing

@testable import GeoStore

@Suite("Objects that name a user")
struct PointerLimitTests {
    private static func pointer(_ className: String, _ id: String) -> JSONValue {
        ["__type": "Pointer", "className": .string(className), "objectId": .string(id)]
    }

    /// A value of a list, some of which name somebody.
    private static func element(using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: pointer("_User", "u1")
        case 1: pointer("_User", "u2")
        case 2: pointer("Post", "u1")
        case 3: "u1"
        case 4: ["objectId": "u1", "className": "_User"]
        case 5: [pointer("_User", "u1")]
        default: nil
        }
    }

    @Test(
        "are the same to the database and to one who reads them", arguments: 0..<12 as Range<UInt64>
    )
    func twins(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        let store = try scratch.open()
        var documents: [Document] = []
        for number in 0..<40 {
            var fields = JSONObject()
            if Bool.random(using: &random) {
                let user = Bool.random(using: &random) ? "u1" : "u2"
                fields["owner"] = Self.pointer("_User", user)
            }
            if Bool.random(using: &random) {
                fields["team"] = .array(
                    (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                        Self.element(using: &random)
                    })
            }
            if Bool.random(using: &random) {
                fields["note"] = ["objectId": "u1", "owner": Self.pointer("_User", "u1")]
            }
            documents.append(
                Document(
                    className: "T", objectId: "id\(number)",
                    createdAt: Timestamp(milliseconds: 0), fields: fields))
        }
        let written = documents
        try store.write { transaction in
            for document in written { try transaction.insert(document) }
        }
        for fields in [["owner"], ["team"], ["owner", "team"], ["note"], ["none"], []] {
            for user in ["u1", "u2", "stranger", nil] {
                let limit = PointerLimit(fields: fields, user: user)
                let scope = ObjectScope(readers: .anonymous, limit: limit)
                let twin = documents.filter { limit.covers($0) }.map(\.objectId).sorted()
                let ids = try store.read {
                    try $0.objectIds(of: "T", in: scope, skip: 0, limit: 100)
                }
                #expect(ids == twin)
                #expect(try store.read { try $0.count(of: "T", in: scope) } == twin.count)
                if fields == ["note"] || fields.isEmpty || user == nil { #expect(twin.isEmpty) }
            }
        }
        let own = PointerLimit(fields: ["owner"], user: "u1")
        #expect(
            documents.filter { own.covers($0) }.count
                == documents.filter { $0.fields["owner"]?["objectId"] == "u1" }.count)
    }
}
