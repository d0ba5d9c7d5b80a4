import JSONText
import TestSupport
import Testing

@Suite("Objects and equality")
struct JSONObjectTests {
    @Test("members keep their order; the last of a name wins at the first place")
    func orderAndDuplicates() throws {
        let value = try JSONParser.parse(text: #"{"b":1,"a":2,"b":3,"c":null}"#)
        let members = try #require(value.objectValue)
        #expect(members.keys == ["b", "a", "c"])
        #expect(members["b"] == 3)
        #expect(members["c"] == .null)
        #expect(members["d"] == nil)
        #expect(members.contains("c"))
    }

    @Test(
        "an object behaves like a list of pairs searched in line",
        arguments: 0..<16 as Range<UInt64>)
    func twin(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var object = JSONObject()
        var twin: [(key: String, value: JSONValue)] = []
        for step in 0..<400 {
            let key = "k\(Int.random(in: 0..<40, using: &random))"
            let place = twin.firstIndex { $0.key == key }
            if Int.random(in: 0..<3, using: &random) == 0 {
                let removed = object.removeValue(forKey: key)
                #expect(removed == place.map { twin[$0].value })
                if let place { twin.remove(at: place) }
            } else {
                let value = JSONValue.integer(Int64(step))
                object[key] = value
                if let place { twin[place].value = value } else { twin.append((key, value)) }
            }
            #expect(object.keys == twin.map(\.key))
            #expect(object.map(\.value) == twin.map(\.value))
            #expect(object[key] == twin.first { $0.key == key }?.value)
        }
    }

    @Test("names that only normalise to one another are different members")
    func noNormalisation() throws {
        let members = try #require(
            JSONParser.parse(text: "{\"\u{212B}\":1,\"A\u{30A}\":2,\"\u{C5}\":3}").objectValue)
        #expect(members.count == 3)
        #expect(JSONValue.string("\u{C5}") != .string("A\u{30A}"))
    }

    @Test("equal values hash alike, whatever their spelling and order")
    func equality() {
        let pairs: [(JSONValue, JSONValue)] = [
            (1, 1.0), (0, .number(-0.0)), ([1, 2.0], [1.0, 2]),
            (["a": 1, "b": [true]], ["b": [true], "a": 1.0]),
        ]
        for (left, right) in pairs {
            #expect(left == right)
            #expect(left.hashValue == right.hashValue)
        }
        #expect(JSONValue.integer(9_007_199_254_740_993) != .number(9_007_199_254_740_992))
        #expect(JSONValue.integer(1) != .bool(true))
        #expect(JSONValue.null != .bool(false))
        let missing: JSONValue = ["a": 1]
        let null: JSONValue = ["a": 1, "b": nil]
        #expect(missing != null)
    }
}
