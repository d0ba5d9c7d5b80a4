import TestSupport
import Testing

@testable import JSONText

@Suite("Scanning members of a JSON text")
struct MemberScannerTests {
    /// The members that the scanner finds, as texts, and whether it saw them all.
    private func members(of text: [UInt8]) -> (found: [(name: String, whole: String)], isDone: Bool)
    {
        var scanner = MemberScanner(text.span)
        var found: [(name: String, whole: String)] = []
        while let member = scanner.next() {
            found.append(
                (
                    String(decoding: text[member.name], as: UTF8.self),
                    String(decoding: text[member.whole], as: UTF8.self)
                ))
        }
        return (found, scanner.isDone)
    }

    @Test("members of whatever the writer writes are those that were written", arguments: 0..<64)
    func round(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var object = JSONObject()
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            object[RandomValue.text(using: &random)] = RandomValue.make(depth: 4, using: &random)
        }
        let (found, isDone) = members(of: JSONWriter.encode(.object(object)))
        #expect(isDone)
        #expect(found.count == object.count)
        for (member, written) in zip(found, object) {
            let name = String(decoding: JSONWriter.encode(.string(written.key)), as: UTF8.self)
            let value = String(decoding: JSONWriter.encode(written.value), as: UTF8.self)
            #expect(member.name == name)
            #expect(member.whole == name + ":" + value)
        }
    }

    @Test(
        "what is no object ends without an end",
        arguments: [
            "", "{", "[]", "{}x", "1", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1}x"#,
            #"{"a":1,}"#, #"{"a":1,"#, #"{"a":"b}"#, #"{"a":"\"#, #"{a:1}"#, #"{"a":[1}"#,
            #"{"a":{"b":1}"#,
        ])
    func broken(text: String) {
        #expect(!members(of: Array(text.utf8)).isDone)
    }

    @Test("a text that was cut or has other bytes never leads beyond its end", arguments: 0..<32)
    func damage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = JSONWriter.encode(RandomValue.make(depth: 4, using: &random))
        for _ in 0..<64 {
            var other = Array(text.prefix(Int.random(in: 0...text.count, using: &random)))
            for _ in 0..<3 where !other.isEmpty {
                let place = Int.random(in: 0..<other.count, using: &random)
                other[place] = Array("{}[],:\"\\a".utf8).randomElement(using: &random) ?? 0
            }
            for member in members(of: other).found { #expect(member.whole.hasPrefix(member.name)) }
        }
    }

    @Test("members that are texts already stand among others")
    func write() {
        var writer = JSONWriter()
        writer.beginObject()
        for part in ["", #""a":1,"b":2"#, "", #""c":3"#] { writer.members(Array(part.utf8).span) }
        writer.key("d")
        writer.integer(4)
        writer.endObject()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":1,"b":2,"c":3,"d":4}"#)
    }
}
