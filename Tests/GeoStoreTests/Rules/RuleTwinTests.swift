import GeoStore
import JSONText
import TestSupport
import Testing

@Suite("Rules and their twin")
struct RuleTwinTests {
    private struct Refusal: Error {}

    private static let people = ["u1", "u2", "u3", "u4"]

    private static func pointer(_ className: String, _ id: String) -> JSONValue {
        ["__type": "Pointer", "className": .string(className), "objectId": .string(id)]
    }

    /// A like of a post, or of nothing, that is also a wish.
    private static func like(_ id: String, using random: inout SeededGenerator) -> Document {
        var fields: JSONObject = [:]
        if Int.random(in: 0..<5, using: &random) > 0 {
            fields["post"] = pointer("Post", "p\(Int.random(in: 0..<6, using: &random))")
        }
        if Int.random(in: 0..<5, using: &random) > 0 {
            fields["author"] = pointer("_User", people[Int.random(in: 0..<4, using: &random)])
        }
        fields["to"] = pointer("_User", people[Int.random(in: 0..<4, using: &random)])
        fields["stars"] = .integer(Int64.random(in: -3...5, using: &random))
        return Document(
            className: "Like", objectId: id, createdAt: Timestamp(milliseconds: 1), fields: fields)
    }

    /// Rules of both classes, a few of which change from time to time.
    private static func postRules(_ round: Int) -> JSONObject {
        var counts: [JSONValue] = [["of": "Like", "by": "post", "into": "likes"]]
        if round % 2 == 0 {
            counts.append(["of": "Like", "by": "post", "into": "stars", "sum": "stars"])
        }
        return ["count": .array(counts)]
    }

    @Test(
        "random writes, transactions that fail and rules that come and go keep counters exact",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func counters(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Scratch().open()
        _ = try store.write { try $0.addField("stars", .number, to: "Like") }
        var round = 0
        for step in 0..<400 {
            let id = "l\(Int.random(in: 0..<40, using: &random))"
            let document = Self.like(id, using: &random)
            let post = "p\(Int.random(in: 0..<6, using: &random))"
            let choice = Int.random(in: 0..<20, using: &random)
            switch choice {
            case 0...8: try store.write { _ = try $0.upsert(document) }
            case 9...12: try store.write { _ = try $0.delete("Like", id) }
            case 13:
                let failed: Void? = try? store.write { transaction in
                    _ = try transaction.upsert(document)
                    throw Refusal()
                }
                #expect(failed == nil)
            case 14...15:
                try store.write {
                    _ = try $0.upsert(
                        Document(
                            className: "Post", objectId: post,
                            createdAt: Timestamp(milliseconds: 1), fields: ["likes": 99]))
                }
            case 16: try store.write { _ = try $0.delete("Post", post) }
            case 17 where step % 3 == 0:
                round += 1
                let rules = Self.postRules(round)
                try store.write { try $0.setRules(of: "Post", to: rules) }
            default: _ = try store.write { try $0.advanceRules(of: "Post", limit: 3) }
            }
            if step % 100 == 99 {
                if store.catalog["Post"]?.rules == nil {
                    try store.write { try $0.setRules(of: "Post", to: Self.postRules(0)) }
                }
                while try !store.write({ try $0.advanceRules(of: "Post", limit: 7) }) {}
                try Self.expectExactCounters(store)
            }
        }
    }

    private static func documents(_ className: String, _ store: SQLiteStore) throws -> [Document] {
        try store.write { transaction in
            try transaction.objectIds(of: className).compactMap {
                try transaction.object(className, $0)
            }
        }
    }

    private static func expectExactCounters(_ store: SQLiteStore) throws {
        let likes = try documents("Like", store)
        let sums = store.catalog["Post"]?.rules?["count"]?.arrayValue?.count == 2
        for post in try documents("Post", store) {
            let own = likes.filter { $0.fields["post"] == pointer("Post", post.objectId) }
            #expect(post.fields["likes"] == .integer(Int64(own.count)))
            let stars = own.compactMap { $0.fields["stars"]?.integerValue }.reduce(0, +)
            if sums { #expect(post.fields["stars"] == .integer(stars)) }
        }
    }

    @Test(
        "two who name each other share one object until one parts, whatever other rules come and go",
        arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func matches(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try Scratch().open()
        try store.write { _ = try $0.addField("stars", .number, to: "Like") }
        try Self.setWishRules(0, store)
        var twin: [String: Document] = [:]
        var matches: Set<[String]> = []
        for step in 1...500 {
            let id = "l\(Int.random(in: 0..<30, using: &random))"
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                try store.write { _ = try $0.delete("Like", id) }
                if let pair = twin.removeValue(forKey: id).flatMap(Self.pair) {
                    matches.remove(pair.sorted())
                }
                continue
            case 3:
                guard let match = try Self.documents("Match", store).first else { continue }
                try store.write { _ = try $0.delete("Match", match.objectId) }
                matches.remove(Self.users(of: match))
                continue
            case 4:
                try Self.setWishRules(step, store)
                continue
            default: break
            }
            let document = Self.like(id, using: &random)
            var after = twin[id] ?? document
            for member in document.fields { after.fields[member.key] = member.value }
            let isRefused = twin.values.contains { Self.clash($0, after) }
            do {
                try store.write { _ = try $0.upsert(document) }
                #expect(!isRefused)
                let (former, present) = (twin[id].flatMap(Self.pair), Self.pair(after))
                if let former, former != present { matches.remove(former.sorted()) }
                if let present, former != present,
                    twin.values.contains(where: { Self.pair($0) == present.reversed() })
                {
                    matches.insert(present.sorted())
                }
                twin[id] = after
            } catch is RuleError {
                #expect(isRefused)
            }
        }
        let kept = try Self.documents("Like", store)
        #expect(Set(kept.map(\.objectId)) == Set(twin.keys))
        let made = try Self.documents("Match", store).map(Self.users)
        #expect(Set(made) == matches)
        #expect(made.count == matches.count)
    }

    /// Rules whose mutual part is always the same.
    private static func setWishRules(_ step: Int, _ store: SQLiteStore) throws {
        var unique: [JSONValue] = [["author", "stars"]]
        if step % 2 == 1 { unique.append(["stars", "author"]) }
        let rules: JSONObject = [
            "owner": "author", "mutual": ["to": "to", "creates": "Match"],
            "unique": .array(unique),
        ]
        try store.write { try $0.setRules(of: "Like", to: rules) }
        while try !store.write({ try $0.advanceRules(of: "Like", limit: 7) }) {}
    }

    private static func users(of match: Document) -> [String] {
        (match.fields["users"]?.arrayValue ?? []).compactMap(\.userID)
    }

    private static func pair(_ document: Document) -> [String]? {
        guard let author = document.fields["author"]?.userID,
            let other = document.fields["to"]?.userID, author != other
        else { return nil }
        return [author, other]
    }

    private static func clash(_ one: Document, _ other: Document) -> Bool {
        guard one.objectId != other.objectId, let author = one.fields["author"],
            other.fields["author"] == author
        else { return false }
        return one.fields["stars"] == other.fields["stars"]
            || pair(one) != nil && pair(one) == pair(other)
    }
}
