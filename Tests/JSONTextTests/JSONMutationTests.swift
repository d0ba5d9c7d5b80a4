import JSONText
import TestSupport
import Testing

@Suite("Damaged JSON")
struct JSONMutationTests {
    @Test("no truncation of an object or array is taken", arguments: 0..<16 as Range<UInt64>)
    func truncations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = JSONWriter.encode([RandomValue.make(depth: 4, using: &random)])
        for length in 0..<text.count {
            #expect(throws: JSONError.self, "at \(length)") {
                try JSONParser.parse(Array(text[..<length]))
            }
        }
    }

    @Test(
        "flipped bits are refused or read as a value that round-trips",
        arguments: 0..<64 as Range<UInt64>)
    func bitFlips(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parser = JSONParser()
        let text = JSONWriter.encode([RandomValue.make(depth: 4, using: &random)])
        for _ in 0..<500 {
            var damaged = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            guard let value = try? parser.parse(damaged.span) else { continue }
            #expect(try parser.parse(JSONWriter.encode(value).span) == value)
        }
    }

    @Test("random bytes never stop the parser", arguments: 0..<32 as Range<UInt64>)
    func noise(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parser = JSONParser()
        let alphabet = Array("{}[]:,\"\\u0123456789.eE+-truefalsn \n\u{E9}".utf8)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                    : UInt8.random(in: 0...255, using: &random)
            }
            guard let value = try? parser.parse(bytes.span) else { continue }
            #expect(try parser.parse(JSONWriter.encode(value).span) == value)
        }
    }
}
