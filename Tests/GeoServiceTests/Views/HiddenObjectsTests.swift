import GeoIndex
import GeoStore
import TestSupport
import Testing

@testable import GeoService

@Suite("Objects that not everybody sees as they are")
struct HiddenObjectsTests {
    private let index = LayerIndex()
    private let hidden = HiddenObjects()

    private func hide(
        _ id: String, _ readers: [String], exact: Bool = false, owner: String? = nil
    ) throws {
        let place = RoundedPosition(lonE7: 10, latE7: 20)
        let near = RoundedPosition(lonE7: 11, latE7: 21)
        let set = ReaderSet(principals: readers)
        let object = HiddenObject(
            readers: set, shown: set.isEverybody ? nil : Placement(position: place),
            exact: exact ? Placement(position: near) : nil, owner: owner, place: place)
        let edit = LayerEdit(
            id: id, placement: set.isEverybody ? Placement(position: place) : nil, hidden: object)
        try take(edit)
    }

    private func take(_ edit: LayerEdit) throws {
        try hidden.apply([edit], key: { index.current.objectKey(for: $0) }) {
            try index.apply([edit.objectEdit])
        }
    }

    /// What a view has of its own, by id.
    private func own(_ user: String, roles: [String] = []) -> [String: ViewObject] {
        let caller = Principals(user: user, roles: roles)
        guard let selection = hidden.selection(of: caller) else { return [:] }
        let objects = hidden.all(of: selection) { index.current }.objects
        let named = objects.map { (index.current.objectId(of: $0.key), $0) }
        #expect(Set(named.map(\.0)).count == named.count, "each object once")
        return Dictionary(named) { first, _ in first }
    }

    @Test("who may read sees an object once, whoever else may, and others nothing")
    func groups() throws {
        try hide("both", ["u1", "role:x"])
        try hide("user", ["u1"])
        try hide("role", ["role:x"])
        #expect(own("u1").keys.sorted() == ["both", "user"])
        #expect(own("u2", roles: ["x"]).keys.sorted() == ["both", "role"])
        #expect(own("u1", roles: ["x", "y"]).keys.sorted() == ["both", "role", "user"])
        #expect(hidden.selection(of: Principals(user: "u3", roles: ["X"])) == nil)
        #expect(hidden.selection(of: .anonymous) == nil)
        try take(LayerEdit(id: "user", placement: nil, hidden: nil))
        try hide("both", ["u3"])
        #expect(hidden.selection(of: Principals(user: "u1", roles: [])) == nil)
        #expect(own("u3").keys.sorted() == ["both"])
        #expect(hidden.count == 2)
    }

    @Test("all that anybody may read is in the whole, as others than its owner see it")
    func whole() throws {
        #expect(hidden.wholeSelection == nil)
        try hide("public", ["*"], exact: true, owner: "u1")
        #expect(hidden.wholeSelection == nil)
        try hide("mine", ["u1"], exact: true, owner: "u1")
        try hide("ours", ["u1", "role:x"])
        try hide("theirs", ["u2"])
        let selection = try #require(hidden.wholeSelection)
        let (base, position, objects) = hidden.all(of: selection) { index.current }
        #expect(
            objects.map { base.objectId(of: $0.key) }.sorted() == ["mine", "ours", "theirs"])
        #expect(objects.allSatisfy { $0.placement?.position.lonE7 == 10 })
        try hide("theirs", ["*"])
        try hide("new", ["u3"])
        let changes = hidden.changes(
            of: selection, since: position, base: { index.current }, isOwn: { _ in true })
        let changed = changes.changes.changed.map {
            (changes.base.objectId(of: $0.key), $0.placement != nil)
        }.sorted { $0.0 < $1.0 }
        #expect(changed.map(\.0) == ["new", "theirs"] && changed.map(\.1) == [true, false])
    }

    @Test("an owner sees the exact place when he may read at all")
    func owners() throws {
        try hide("open", ["*"], exact: true, owner: "u1")
        try hide("closed", ["u1", "u2"], exact: true, owner: "u1")
        try hide("foreign", ["u2"], exact: true, owner: "u1")
        let exact = RoundedPosition(lonE7: 11, latE7: 21)
        let coarse = RoundedPosition(lonE7: 10, latE7: 20)
        let mine = own("u1")
        #expect(mine.keys.sorted() == ["closed", "open"])
        #expect(mine.values.allSatisfy { $0.placement?.position == exact })
        #expect(mine["open"]?.hidden == coarse && mine["closed"]?.hidden == nil)
        let others = own("u2")
        #expect(others.keys.sorted() == ["closed", "foreign"])
        #expect(others.values.allSatisfy { $0.placement?.position == coarse })
    }

    @Test("what was changed is told from any position, and everything when that is too long ago")
    func changes() throws {
        try hide("first", ["u1"])
        let selection = try #require(hidden.selection(of: Principals(user: "u1", roles: [])))
        let start = hidden.all(of: selection) { index.current }
        try hide("second", ["u1"])
        try hide("other", ["u2"])
        try take(LayerEdit(id: "first", placement: nil, hidden: nil))
        let since = hidden.changes(
            of: selection, since: start.position, base: { index.current }, isOwn: { _ in true })
        #expect(since.changes.all == nil)
        let told = Dictionary(
            uniqueKeysWithValues: since.changes.changed.map {
                (index.current.objectId(of: $0.key), $0.placement != nil)
            })
        #expect(told["first"] == false && told["second"] == true && told["other"] != true)
        for number in 0..<20_000 { try hide("o\(number % 10)", ["u2"]) }
        let late = hidden.changes(
            of: selection, since: start.position, base: { index.current }, isOwn: { _ in true })
        #expect(late.changes.all?.count == 1 && late.changes.position > since.changes.position)
    }
}
