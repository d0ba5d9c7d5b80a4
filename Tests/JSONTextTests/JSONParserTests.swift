import JSONText
import Testing

@Suite("Reading JSON")
struct JSONParserTests {
    @Test(
        "each kind of value is read exactly",
        arguments: [
            ("null", .null),
            ("true", true),
            (" [false] ", [false]),
            ("0", 0),
            ("-0", 0),
            ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("18446744073709551616", .number(18_446_744_073_709_551_616)),
            ("-9223372036854775809", .number(-9_223_372_036_854_775_808)),
            ("[1,123456789012345678901234567890]", [1, .number(1.2345678901234568e29)]),
            (
                "{\"12345678901234567890123\":98765432109876543210987}",
                ["12345678901234567890123": .number(9.876543210987654e22)]
            ),
            ("1.5", 1.5),
            ("5e-324", .number(.leastNonzeroMagnitude)),
            ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
            (#""a\"\\\/\b\f\n\r\té😀\u0000""#, "a\"\\/\u{8}\u{c}\n\r\té😀\0"),
            (#""\ud83d\ude00""#, "😀"),
            ("[]", []),
            ("{}", [:]),
            (#"{"b":1,"a":[{"c":null}]}"#, ["b": 1, "a": [["c": nil]]]),
        ] as [(String, JSONValue)])
    func values(text: String, expected: JSONValue) throws {
        let value = try JSONParser.parse(text: text)
        #expect(value == expected)
    }

    @Test("whole numbers stay integers beside one that is too large")
    func wideningTouchesOnlyTheLarge() throws {
        let value = try JSONParser.parse(
            text: #"[9007199254740993,"18446744073709551616",18446744073709551616]"#)
        let expected: [JSONValue] = [
            .integer(9_007_199_254_740_993), .string("18446744073709551616"),
            .number(18_446_744_073_709_551_616),
        ]
        #expect(value.arrayValue == expected)
        guard case .integer? = value.arrayValue?.first else {
            Issue.record("the small number became a double")
            return
        }
    }

    @Test(
        "what is not JSON is refused with its reason",
        arguments: [
            ("", .empty),
            (" \n\t", .empty),
            ("\u{FEFF}{}", .byteOrderMark),
            ("NaN", .invalidStructure),
            ("[NaN]", .invalidStructure),
            ("-Infinity", .invalidNumber),
            ("[1,]", .invalidStructure),
            ("[,1]", .invalidStructure),
            ("{\"a\":1,}", .invalidStructure),
            ("{\"a\" 1}", .invalidStructure),
            ("{a:1}", .invalidStructure),
            ("{\"a\"}", .invalidStructure),
            ("[1 2]", .invalidStructure),
            ("[1] [2]", .invalidStructure),
            ("[1]]", .invalidStructure),
            ("[", .invalidStructure),
            ("{\"a\":", .invalidStructure),
            ("nul", .invalidStructure),
            ("// c\n1", .invalidStructure),
            ("01", .invalidNumber),
            ("1.", .invalidNumber),
            (".5", .invalidStructure),
            ("+1", .invalidStructure),
            ("1e", .invalidNumber),
            ("1e400", .invalidNumber),
            ("[-]", .invalidNumber),
            ("18446744073709551616e999", .invalidNumber),
            ("\"a", .invalidString),
            ("\"a\nb\"", .invalidString),
            (#""\x41""#, .invalidString),
            (#""\u12""#, .invalidString),
            (#""\ud800""#, .invalidString),
            (#""\udc00""#, .invalidString),
            (#""\ud800A""#, .invalidString),
            (#"{"\udfff":1}"#, .invalidString),
        ] as [(String, JSONError)])
    func refusals(text: String, expected: JSONError) {
        #expect(throws: expected) { try JSONParser.parse(text: text) }
    }

    @Test(
        "bytes that are not UTF-8 are refused at their offset",
        arguments: [
            ([0x22, 0x61, 0xFF, 0x22], 2),
            ([0x22, 0xC3, 0xA9, 0xC3, 0x22], 3),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xC0, 0x80, 0x22], 1),
            ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1),
        ] as [([UInt8], Int)])
    func invalidUTF8(bytes: [UInt8], offset: Int) {
        #expect(throws: JSONError.invalidUTF8(offset: offset)) { try JSONParser.parse(bytes) }
    }

    @Test(
        "a name that stands twice in one object is refused on demand, by its path",
        arguments: [
            (#"{"a":1,"a":1}"#, "a"), (#"{"a":1,"b":{"c":1,"d":2,"c":3}}"#, "b.c"),
            (#"{"a":[{"b":1},{"b":1,"\u0062":2}]}"#, "a[1].b"), (#"[[{"a":1,"a":2}]]"#, "[0][0].a"),
            (#"{"a":{"b":{"c":[0,{"d":{"":1,"":2}}]}}}"#, "a.b.c[1].d."),
            (#"{"a":18446744073709551616,"a":1}"#, "a"),
        ])
    func repeated(text: String, path: String) throws {
        let bytes = Array(text.utf8)
        #expect(throws: JSONError.repeatedName(path: path)) {
            try JSONParser().parse(bytes.span, repeatedNames: .refused)
        }
        // Else the last counts.
        let last = try JSONParser.parse(bytes)
        #expect(try JSONParser.parse(JSONWriter.encode(last)) == last)
    }

    @Test("the same name in two objects is none that stands twice", arguments: [1, 17, 40])
    func notRepeated(count: Int) throws {
        let members = (0..<count).map { #""n\#($0)":{"x":\#($0),"y":[{"x":1},{"x":2}]}"# }
        let text = "{" + members.joined(separator: ",") + "}"
        let refusing = try JSONParser().parse(Array(text.utf8).span, repeatedNames: .refused)
        #expect(try refusing == JSONParser.parse(text: text))
        // Beyond the members that are searched in line, too.
        let twice = "{" + (members + [members[count / 2]]).joined(separator: ",") + "}"
        #expect(throws: JSONError.repeatedName(path: "n\(count / 2)")) {
            try JSONParser().parse(Array(twice.utf8).span, repeatedNames: .refused)
        }
        #expect(try JSONParser.parse(text: twice) == refusing)
    }

    @Test("a text may be as long as the limit and no longer")
    func sizeLimit() throws {
        let text = Array("[1,2]".utf8)
        #expect(try JSONParser.parse(text, maxBytes: 5) == [1, 2])
        #expect(throws: JSONError.tooLarge(limitBytes: 4)) {
            try JSONParser.parse(text, maxBytes: 4)
        }
    }

    @Test("nesting is taken up to the limit exactly", arguments: [1, 2, 17, 128, 512])
    func depthLimit(limit: Int) throws {
        func nested(_ levels: Int, open: String, close: String, core: String) -> [UInt8] {
            Array(
                (String(repeating: open, count: levels) + core
                    + String(repeating: close, count: levels)).utf8)
        }
        for (open, close, core) in [("[", "]", ""), ("[", "]", "1"), ("{\"a\":", "}", "1")] {
            let fits = nested(limit, open: open, close: close, core: core)
            let value = try JSONParser.parse(fits, maxDepth: limit)
            #expect(JSONWriter.encode(value) == fits)
            let bomb = nested(limit + 1, open: open, close: close, core: core)
            #expect(throws: JSONError.tooDeep(limit: limit)) {
                try JSONParser.parse(bomb, maxDepth: limit)
            }
        }
    }

    @Test("a bomb of a million brackets is refused")
    func bomb() {
        for text in ["[", "{\"a\":", "[{\"a\":"] {
            let bytes = Array(String(repeating: text, count: 1_000_000).utf8)
            #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
        }
    }

    @Test("one parser reads texts of any size after one another, errors between")
    func reuse() throws {
        let parser = JSONParser()
        for size in [1, 5000, 3, 2_000_000, 7, 1, 300_000] {
            let text = "[" + String(repeating: "12,", count: size) + "3]"
            let value = try parser.parse(Array(text.utf8).span)
            #expect(value.arrayValue?.count == size + 1)
            #expect(throws: JSONError.self) { try parser.parse(Array("[1,".utf8).span) }
            #expect(try parser.parse(Array("[[1]]".utf8).span, maxDepth: 2) == [[1]])
        }
    }
}
