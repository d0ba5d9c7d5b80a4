import JSONText
import TestSupport
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test(
        "values are written in their shortest form",
        arguments: [
            (.null, "null"),
            (.bool(true), "true"),
            (.integer(.min), "-9223372036854775808"),
            (.integer(0), "0"),
            (.number(3), "3"),
            (.number(-0.0), "0"),
            (.number(0.1), "0.1"),
            (.number(1e21), "1e+21"),
            (.number(9_007_199_254_740_992), "9007199254740992"),
            (.number(.leastNonzeroMagnitude), "5e-324"),
            (.number(.nan), "null"),
            (.number(-.infinity), "null"),
            (
                .string("\u{0}\u{1f}\"\\/\u{7f}é😀\u{2028}\n\t\r\u{8}\u{c}"),
                "\"\\u0000\\u001f\\\"\\\\/\u{7f}é😀\u{2028}\\n\\t\\r\\b\\f\""
            ),
            ([], "[]"),
            ([:], "{}"),
            (["a": [1, [2, [:]], nil], "": "x"], #"{"a":[1,[2,{}],null],"":"x"}"#),
        ] as [(JSONValue, String)])
    func text(value: JSONValue, expected: String) {
        #expect(String(decoding: JSONWriter.encode(value), as: UTF8.self) == expected)
    }

    @Test("a stream of calls puts commas where they belong")
    func stream() {
        var writer = JSONWriter(into: Array("x".utf8))
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.integer(1)
        writer.beginObject()
        writer.endObject()
        writer.encoded(Array("[2]".utf8))
        writer.endArray()
        writer.key("b")
        writer.bool(false)
        writer.key("c")
        writer.value(["d": nil])
        writer.endObject()
        #expect(
            String(decoding: writer.take(), as: UTF8.self)
                == #"x{"a":[1,{},[2]],"b":false,"c":{"d":null}}"#)
        writer.string("anew")
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"anew\"")
    }

    @Test("every value reads back as itself", arguments: 0..<64 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let value = RandomValue.make(depth: 5, using: &random)
            let text = JSONWriter.encode(value)
            let read = try JSONParser.parse(text)
            #expect(read == value)
            #expect(JSONWriter.encode(read) == text)
        }
    }

    @Test("doubles of any bits read back as themselves", arguments: 0..<8 as Range<UInt64>)
    func doubles(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let read = try JSONParser.parse(JSONWriter.encode(.number(value)))
            #expect(read.doubleValue == value)
        }
    }
}
