import GeoIndex
import JSONText
import TestSupport
import Testing

@testable import GeoStore

@Suite("Objects as everybody sees them")
struct ShownObjectsTests {
    private static let omitted = ["objectId", "createdAt", "distance"]

    /// Objects with and without a place, private, coarse, with awkward names and values.
    private func document(_ number: Int, using random: inout SeededGenerator) throws -> Document {
        var fields = JSONObject()
        let place = GeoPointField.json(
            try LonLat(
                lon: Double.random(in: -180...180, using: &random),
                lat: Double.random(in: -90...90, using: &random)))
        var members: [(String, JSONValue)] = [
            ("n", .integer(Int64(number))), ("title", .string("a \"b\" \\ {c}, [d]: \u{1}é")),
            ("distance", .number(1.5)), ("list", [1, ["a", [:]], nil, "x,y"]),
            ("more", ["place": "no", "distance": 2]),
        ]
        if !number.isMultiple(of: 7) { members.append(("place", place)) }
        if number.isMultiple(of: 5) { members.append((LocationAccuracy.fieldName, 500)) }
        for (name, value) in members.shuffled(using: &random) where random.next() % 4 > 0 {
            fields[name] = value
        }
        return Document(
            className: "Spot", objectId: "id-\(number)",
            createdAt: Timestamp(milliseconds: Int64(number)),
            acl: number.isMultiple(of: 11) ? AccessList() : nil, fields: fields)
    }

    /// The same by way of the document.
    private func twin(_ document: Document?) -> String? {
        guard let document, document.isPublic else { return nil }
        let shown = document.shown
        let location = shown.location
        var fields = shown.fields
        fields.removeValues(forKeys: Self.omitted + (location.map { [$0.field] } ?? []))
        let text = String(decoding: JSONWriter.encode(.object(fields)), as: UTF8.self)
        return "\(shown.objectId) \(shown.createdAt) \(shown.contentHash) "
            + "\(location.map { "\($0.position)" } ?? "nowhere") \(text)"
    }

    private func text(_ object: ShownObjects.Object?, of all: ShownObjects) -> String? {
        guard let object else { return nil }
        var json = JSONWriter()
        json.beginObject()
        all.withFields(of: object) { json.members($0) }
        json.endObject()
        return "\(object.objectId) \(object.createdAt) \(object.content) "
            + "\(object.position.map { "\($0)" } ?? "nowhere") "
            + String(decoding: json.bytes, as: UTF8.self)
    }

    @Test(
        "are those whose documents are read and written again",
        arguments: [0, 1, 8, 9, 129, 300], [1, 2] as [UInt64])
    func twins(count: Int, seed: UInt64) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        var random = SeededGenerator(seed: seed)
        let documents = try (0..<300).filter { $0 % 13 != 0 }
            .map { try document($0, using: &random) }
        try store.write { transaction in
            for document in documents { try transaction.insert(document) }
        }
        // Some are not there, some stand twice.
        let ids = (0..<count).map { _ in "id-\(Int.random(in: 0..<320, using: &random))" }
        try store.read { reader in
            let shown = try reader.shown("Spot", ids: ids, omitting: Self.omitted)
            let expected = try reader.objects("Spot", ids: ids).map(twin)
            #expect(shown.objects.map { text($0, of: shown) } == expected)
            #expect(count < 100 || expected.contains { $0?.contains("nowhere") == false })
            let none = try reader.shown("Other", ids: ids)
            #expect(none.objects.allSatisfy { $0 == nil } && none.objects.count == count)
        }
    }

    @Test("a text that is none of the store's is not taken, and leaves nothing behind")
    func broken() throws {
        var all = ShownObjects(count: 0)
        func add(_ text: String) -> ShownObjects.Object? {
            let bytes = Array(text.utf8)
            return all.add(
                bytes.span, omitting: [], objectId: "a", createdAt: Timestamp(milliseconds: 0),
                position: nil, content: 0)
        }
        #expect(add(#"{"a":1,"b""#) == nil)
        let object = try #require(add(#"{"c":2}"#))
        #expect(text(object, of: all)?.hasSuffix(#" {"c":2}"#) == true)
    }
}
