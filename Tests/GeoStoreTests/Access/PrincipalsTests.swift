import GeoStore
import JSONText
import TestSupport
import Testing

@Suite("Who may read and write")
struct PrincipalsTests {
    private static let ann = Principals(user: "ann", roles: ["editors", "staff"])

    @Test(
        "each form of a list, for nobody in particular, a user, and the master key",
        arguments: [
            (nil, [true, true, true], [true, true, true]),
            ([:], [false, false, true], [false, false, true]),
            (["*": ["read": true]], [true, true, true], [false, false, true]),
            (["*": ["write": true]], [false, false, true], [true, true, true]),
            (["ann": ["read": true]], [false, true, true], [false, false, true]),
            (["ann": ["write": true]], [false, false, true], [false, true, true]),
            (["bob": ["read": true, "write": true]], [false, false, true], [false, false, true]),
            (["role:staff": ["read": true]], [false, true, true], [false, false, true]),
            (["role:Staff": ["read": true]], [false, false, true], [false, false, true]),
            (["staff": ["read": true]], [false, false, true], [false, false, true]),
            (["role:ann": ["read": true]], [false, false, true], [false, false, true]),
            (
                ["bob": ["read": true], "role:editors": ["write": true]],
                [false, false, true], [false, true, true]
            ),
        ] as [(JSONValue?, [Bool], [Bool])])
    func forms(json: JSONValue?, mayRead: [Bool], mayWrite: [Bool]) throws {
        let list = try json.map { try AccessList($0) }
        let callers = [.anonymous, Self.ann, .master]
        #expect(callers.map { $0.mayRead(list) } == mayRead)
        #expect(callers.map { $0.mayRead(ReaderSet(list)) } == mayRead)
        #expect(callers.map { $0.mayWrite(list) } == mayWrite)
    }

    @Test("names are sorted by bytes, each once")
    func names() {
        let caller = Principals(user: "ann", roles: ["b", "Z", "a", "b", "é"])
        #expect(caller.roles == ["Z", "a", "b", "é"])
        #expect(caller.names == ["ann", "role:Z", "role:a", "role:b", "role:é"])
        #expect(caller.userId == "ann" && !caller.isMaster)
        #expect(caller == Principals(user: "ann", roles: ["é", "a", "Z", "b"]))
        #expect(caller != Principals(user: "ann", roles: ["e\u{301}", "a", "Z", "b"]))
        #expect(Principals.anonymous.names.isEmpty && Principals.anonymous.userId == nil)
        #expect(Principals.anonymous != Principals.master)
    }

    @Test("sets of readers are what lists have in common for readers")
    func sets() throws {
        let set = ReaderSet(
            try AccessList(["b": ["read": true], "a": ["read": true, "write": true]]))
        #expect(set.principals == ["a", "b"])
        #expect(
            set
                == ReaderSet(
                    try AccessList([
                        "a": ["read": true], "b": ["read": true], "c": ["write": true],
                    ])))
        #expect(set == ReaderSet(principals: ["b", "a", "b"]))
        #expect(ReaderSet(principals: ["b", "*"]) == .everybody)
        #expect(ReaderSet.everybody.principals == ["*"])
        #expect(ReaderSet(AccessList()) == .nobody)
        #expect(ReaderSet(nil) == .everybody && ReaderSet(nil).isEverybody)
        #expect(
            ReaderSet(principals: ["role:\u{e9}"]) != ReaderSet(principals: ["role:e\u{301}"]))
    }

    @Test("callers and lists agree with Parse's rules", arguments: 0..<32 as Range<UInt64>)
    func rules(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let list = RandomAccess.list(using: &random)
            let caller = RandomAccess.caller(using: &random)
            #expect(caller.mayRead(list) == RandomAccess.may(.read, caller, list))
            #expect(caller.mayRead(ReaderSet(list)) == caller.mayRead(list))
            #expect(caller.mayWrite(list) == RandomAccess.may(.write, caller, list))
        }
    }

    @Test("a user's id that could be taken for a role is a mistake of the program")
    func userId() async {
        await #expect(processExitsWith: .failure) {
            _ = Principals(user: "role:admins", roles: [])
        }
    }
}
