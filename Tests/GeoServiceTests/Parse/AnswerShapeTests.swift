import JSONText
import Testing

@testable import GeoService

@Suite("Parse: the shape of an answer")
struct AnswerShapeTests {
    /// How the member at the end of a path is shown, when all before it lead there.
    private func treatment(
        of path: String, in shape: AnswerShape, isPlain: Bool = false
    ) throws -> String {
        var node = AnswerShape.root
        let names = path.split(separator: ".").map(String.init)
        for (index, name) in names.enumerated() {
            switch shape.treatment(of: name, at: node, isPlain: isPlain) {
            case .hidden: return "hidden"
            case .whole: return "whole"
            case .shaped(let child):
                if index == names.count - 1 {
                    return shape.nodes[child].isFollowed ? "followed" : "trimmed"
                }
                node = child
            }
        }
        return "nothing"
    }

    @Test("without parameters all is shown and nothing followed")
    func plain() throws {
        for parameters in [[:], ["include": ""], ["keys": []], ["includeAll": false]]
            as [JSONObject]
        {
            let shape = try AnswerShape(parameters)
            #expect(shape.isPlain && shape.followsNothing)
            #expect(try treatment(of: "any", in: shape) == "whole")
        }
    }

    @Test("every beginning of an included path is followed")
    func includes() throws {
        let shape = try AnswerShape(["include": ["a.b", "c"]])
        #expect(!shape.followsNothing)
        for path in ["a", "a.b", "c"] { #expect(try treatment(of: path, in: shape) == "followed") }
        for path in ["b", "a.c", "c.a"] { #expect(try treatment(of: path, in: shape) == "whole") }
    }

    @Test("a star follows one level of an object, and no members of plain objects")
    func stars() throws {
        for parameters in [["include": "*"], ["includeAll": 1]] as [JSONObject] {
            let shape = try AnswerShape(parameters)
            #expect(!shape.isPlain && !shape.followsNothing)
            #expect(try treatment(of: "any", in: shape) == "followed")
            #expect(try treatment(of: "any", in: shape, isPlain: true) == "whole")
            #expect(try treatment(of: "any.other", in: shape) == "whole")
        }
        let below = try AnswerShape(["include": "a.*", "excludeKeys": "a.x"])
        #expect(try treatment(of: "a.any", in: below) == "followed")
        #expect(try treatment(of: "a.x", in: below) == "hidden")
        #expect(try treatment(of: "any", in: below) == "whole")
    }

    @Test("a named key is shown alone; one below a pointer follows and trims it")
    func keys() throws {
        let shape = try AnswerShape(["keys": "a,b.c", "include": "a,d"])
        #expect(try treatment(of: "a", in: shape) == "followed")
        #expect(try treatment(of: "a.any", in: shape) == "whole")
        #expect(try treatment(of: "b", in: shape) == "followed")
        #expect(try treatment(of: "b.c", in: shape) == "whole")
        #expect(try treatment(of: "b.d", in: shape) == "hidden")
        #expect(try treatment(of: "d", in: shape) == "hidden")
    }

    @Test("what is left out is hidden, and nothing else")
    func excluded() throws {
        let shape = try AnswerShape(["keys": "a,b", "excludeKeys": "a,b.c"])
        #expect(shape.followsNothing && !shape.isPlain)
        #expect(try treatment(of: "a", in: shape) == "hidden")
        #expect(try treatment(of: "b", in: shape) == "trimmed")
        #expect(try treatment(of: "b.c", in: shape) == "hidden")
        #expect(try treatment(of: "b.d", in: shape) == "whole")
    }

    @Test(
        "a parameter that says nothing is refused by name",
        arguments: [
            ("include", 5), ("keys", ["a": 1]), ("excludeKeys", [1]), ("include", "a..b"),
            ("keys", ".a"), ("include", "a."), ("includeAll", "perhaps"),
            ("include", .string(Array(repeating: "a", count: 17).joined(separator: "."))),
            ("keys", .array(Array(repeating: "a", count: 251))),
        ] as [(String, JSONValue)])
    func refused(name: String, value: JSONValue) throws {
        let error = #expect(throws: ParseError.self) { try AnswerShape([name: value]) }
        #expect(error?.code == .invalidQuery)
        #expect(error?.message.contains(name) == true)
    }
}
