import JSONText
import Testing

@testable import GeoService

@Suite("Parse: defaults and required fields")
struct FieldRulesTests {
    private let settings: JSONObject = [
        "fields": [
            "plain": ["type": "Number"], "d": ["defaultValue": 5], "r": ["required": true],
            "b": ["required": true, "defaultValue": ["a": 1]],
            "none": ["required": false, "defaultValue": nil], "odd": 5,
        ]
    ]

    @Test("a new object gets the defaults of fields that it is sent without, and is told them")
    func defaults() throws {
        let rules = FieldRules(settings)
        var fields: JSONObject = ["r": 1]
        var answered: JSONObject = ["told": 1]
        try rules.complete(&fields, answered: &answered)
        #expect(fields == ["r": 1, "d": 5, "b": ["a": 1]])
        #expect(answered == ["told": 1, "d": 5, "b": ["a": 1]])
        fields = ["r": 1, "d": nil, "b": 2]
        answered = [:]
        try rules.complete(&fields, answered: &answered)
        #expect(fields == ["r": 1, "d": nil, "b": 2] && answered.isEmpty)
    }

    @Test(
        "a required field needs a value",
        arguments: [[:], ["r": nil], ["r": ""], ["r": 1, "b": nil], ["r": 1, "b": ""]]
            as [JSONObject])
    func required(sent: JSONObject) throws {
        var fields = sent
        var answered = JSONObject()
        let error = #expect(throws: ParseError.self) {
            try FieldRules(settings).complete(&fields, answered: &answered)
        }
        #expect(error?.code == .validationError)
        #expect(error?.message == (sent.contains("b") ? "b is required" : "r is required"))
    }

    @Test("an update is judged by the fields that it changes")
    func updates() throws {
        let rules = FieldRules(settings)
        try rules.check(["d": 1], changed: ["d", "plain"])
        try rules.check(["r": false, "b": 0], changed: ["r", "b"])
        #expect(throws: ParseError(.validationError, "r is required")) {
            try rules.check(["d": 1], changed: ["d", "r"])
        }
        #expect(throws: ParseError.self) { try rules.check(["r": ""], changed: ["r"]) }
    }

    @Test(
        "settings of another form ask nothing",
        arguments: [nil, [:], ["fields": 5]] as [JSONObject?])
    func nothing(settings: JSONObject?) throws {
        var fields = JSONObject()
        var answered = JSONObject()
        try FieldRules(settings).complete(&fields, answered: &answered)
        #expect(fields.isEmpty && answered.isEmpty)
    }
}
