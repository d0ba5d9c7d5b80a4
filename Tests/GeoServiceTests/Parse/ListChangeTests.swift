import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Parse: operations on lists")
struct ListChangeTests {
    private func change(
        _ kind: ListChange.Kind, _ elements: [JSONValue]
    ) throws -> ListChange {
        try ListChange(kind, ["__op": "Any", "objects": .array(elements)], of: "f")
    }

    /// Values of which some are equal in other spellings.
    private static let values: [JSONValue] = [
        0, .number(0), 1, "a", "", nil, true, false, [1], [.number(1)], ["k": 1, "l": 2],
        ["l": 2, "k": 1], ["__type": "Pointer", "className": "P", "objectId": "a"],
        ["__type": "Pointer", "className": "P", "objectId": "b"], "\u{e9}", "e\u{301}",
    ]

    @Test("they are what a loop over both lists gives", arguments: 0..<64)
    func twin(seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        let former = (0..<Int.random(in: 0..<12, using: &random)).compactMap { _ in
            Self.values.randomElement(using: &random)
        }
        let elements = (0..<Int.random(in: 0..<12, using: &random)).compactMap { _ in
            Self.values.randomElement(using: &random)
        }
        #expect(try change(.add, elements).applied(to: former) == former + elements)
        var unique = former
        for element in elements where !unique.contains(element) { unique.append(element) }
        #expect(try change(.addUnique, elements).applied(to: former) == unique)
        let rest = former.filter { !elements.contains($0) }
        #expect(try change(.remove, elements).applied(to: former) == rest)
    }

    @Test("pointers are equal when they lead to the same object, whatever else they carry")
    func pointers() throws {
        let pointer: JSONValue = ["__type": "Pointer", "className": "P", "objectId": "a"]
        let included: JSONValue = [
            "objectId": "a", "__type": "Object", "className": "P", "name": "Ann",
        ]
        #expect(try change(.addUnique, [included]).applied(to: [pointer]) == [pointer])
        #expect(try change(.addUnique, [pointer]).applied(to: [included]) == [included])
        #expect(try change(.remove, [pointer]).applied(to: [included, 1]) == [1])
        #expect(try change(.add, [included]).applied(to: []) == [pointer])
    }

    @Test("ten thousand elements on a hundred thousand cost no more than their number")
    func large() throws {
        let former = (0..<100_000).map { JSONValue.integer($0) }
        let elements = (0..<10_000).map { JSONValue.integer($0 * 20) }
        #expect(try change(.addUnique, elements).applied(to: former).count == 105_000)
        #expect(try change(.remove, elements).applied(to: former).count == 95_000)
        let error = #expect(throws: ParseError.self) { try change(.add, elements + [1]) }
        #expect(error?.code == .requestLimitExceeded)
    }
}
