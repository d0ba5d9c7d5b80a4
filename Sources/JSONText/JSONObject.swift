/// The members of a JSON object, in the order in which they came.
///
/// A name that comes twice has the last value at the first place, as in JavaScript. Objects of
/// up to ``scanLimit`` members are searched in line; larger ones keep a hash index, so that a
/// hostile object of many members costs no more than its length.
package struct JSONObject: Sendable {
    /// One member.
    package struct Member: Sendable {
        /// The member's name.
        package let key: String
        /// The member's value.
        package var value: JSONValue

        /// A member.
        @inlinable package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// The most members that are searched one by one.
    static let scanLimit = 16

    /// The members in order.
    package private(set) var members: [Member] = []
    /// Where each name stands in `members`; kept only above `scanLimit`.
    private var places: [ByteKey: Int]?

    /// An object without members.
    package init() {}

    /// An object of these members; a later one replaces an earlier one of its name.
    package init(_ pairs: some Sequence<(String, JSONValue)>) {
        for (key, value) in pairs { self[key] = value }
    }

    /// An object of these members, all of different names, without a search.
    ///
    /// - Precondition: no two names are equal.
    package init(new members: [Member]) {
        self.members = members
        indexIfLarge()
    }

    /// The number of members.
    package var count: Int { members.count }
    /// True when there is no member.
    package var isEmpty: Bool { members.isEmpty }
    /// The names in order.
    package var keys: [String] { members.map(\.key) }

    /// The value of a name. Setting nil removes the member; setting a new name appends it.
    ///
    /// - Complexity: O(1) but for removal, which is O(count).
    package subscript(key: String) -> JSONValue? {
        get { place(of: key).map { members[$0].value } }
        set {
            guard let newValue else {
                removeValue(forKey: key)
                return
            }
            if let place = place(of: key) {
                members[place].value = newValue
            } else {
                append(key, newValue)
            }
        }
    }

    /// Appends a member whose name no other has, without a search.
    ///
    /// - Precondition: the name is new; checked in debug builds.
    package mutating func append(new key: String, _ value: JSONValue) {
        assert(!contains(key), "\(key) stands in the object already")
        append(key, value)
    }

    /// Makes room for `count` members in all.
    package mutating func reserveCapacity(_ count: Int) {
        members.reserveCapacity(count)
    }

    /// Removes a member and gives its value; the others keep their order. O(count).
    @discardableResult
    package mutating func removeValue(forKey key: String) -> JSONValue? {
        guard let place = place(of: key) else { return nil }
        let removed = members.remove(at: place)
        places = nil
        indexIfLarge()
        return removed.value
    }

    /// Removes the members of these names; the others keep their order. O(count + names).
    package mutating func removeValues(forKeys names: some Sequence<String>) {
        let wanted = Set(names.map { ByteKey($0) })
        members.removeAll { wanted.contains(ByteKey($0.key)) }
        places = nil
        indexIfLarge()
    }

    /// Takes a value out and leaves null in its place, so that it can be changed without a copy
    /// and put back; nil when there is none. O(1).
    package mutating func takeValue(forKey key: String) -> JSONValue? {
        guard let place = place(of: key) else { return nil }
        var taken = JSONValue.null
        swap(&members[place].value, &taken)
        return taken
    }

    /// True when there is a member of that name, null or not.
    package func contains(_ key: String) -> Bool { place(of: key) != nil }

    private mutating func append(_ key: String, _ value: JSONValue) {
        members.append(Member(key: key, value: value))
        if places != nil {
            places?[ByteKey(key)] = members.count - 1
        } else {
            indexIfLarge()
        }
    }

    private mutating func indexIfLarge() {
        guard members.count > JSONObject.scanLimit else { return }
        var index: [ByteKey: Int] = [:]
        index.reserveCapacity(members.count * 2)
        for (place, member) in members.enumerated() { index[ByteKey(member.key)] = place }
        places = index
    }

    private func place(of key: String) -> Int? {
        if let places { return places[ByteKey(key)] }
        return members.firstIndex { $0.key.hasSameBytes(as: key) }
    }

    /// A name compared by its bytes.
    private struct ByteKey: Hashable, Sendable {
        let text: String
        init(_ text: String) { self.text = text }
        static func == (left: ByteKey, right: ByteKey) -> Bool {
            left.text.hasSameBytes(as: right.text)
        }
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }
}

extension JSONObject: Hashable {
    /// The same members in any order. O(count).
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        return left.members.allSatisfy { right[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members {
            var own = Hasher()
            own.combine(member.key)
            own.combine(member.value)
            // A sum does not depend on the order; wrapping is wanted.
            sum &+= own.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: Sequence {
    /// Walks the members in order.
    package func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
