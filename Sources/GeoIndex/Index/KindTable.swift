/// The kinds that occur in a layer, numbered in the order in which they were first seen.
///
/// Number 0 is "no kind". The numbers are private to one index; what leaves it (answers,
/// fingerprints) goes by names and their hashes.
struct KindTable: Sendable {
    /// How many different kinds a layer tells apart. Objects of a further kind count as having
    /// none, so that no client can make the table grow without bound.
    static let limit = 4_096

    private static let fewKinds = 12

    private(set) var names: [String] = [""]
    private(set) var hashes: [UInt64] = [0]
    private var numbers: [String: UInt16] = [:]
    /// Numbers that were given out and are to be given out again.
    private var free: [UInt16] = []
    /// How often a number was given out, and how often some were taken back: two tables of one
    /// layer with the same counts are the same.
    private(set) var assigned = 0
    private(set) var reclaimed = 0

    /// An empty table.
    init() {}

    /// A table with the names of another one, by number; the empty ones are given out again.
    ///
    /// - Returns: nil when no table has these names.
    init?(restoring names: [String]) {
        guard names.first == "", names.count <= KindTable.limit else { return nil }
        self.names = names
        for (number, name) in names.enumerated().dropFirst() {
            guard !name.isEmpty else {
                hashes.append(0)
                free.append(UInt16(number))
                continue
            }
            hashes.append(KindTable.hash(of: name))
            guard numbers.updateValue(UInt16(number), forKey: name) == nil else { return nil }
        }
    }

    private static func hash(of name: String) -> UInt64 {
        var hash = StableHash()
        hash.combine(bytes: name.utf8)
        return hash.value
    }

    /// The number of a kind, given to it now when it is new.
    mutating func number(adding name: String?) -> UInt16 {
        guard let name, !name.isEmpty else { return 0 }
        // A handful of short names is compared faster than one is hashed.
        if names.count <= KindTable.fewKinds {
            for number in 1..<max(1, names.count) where names[number] == name {
                return UInt16(number)
            }
        } else if let number = numbers[name] {
            return number
        }
        let hash = KindTable.hash(of: name)
        if let number = free.popLast() {
            assigned += 1
            names[Int(number)] = name
            hashes[Int(number)] = hash
            numbers[name] = number
            return number
        }
        guard names.count < KindTable.limit else { return 0 }
        let number = UInt16(names.count)
        assigned += 1
        names.append(name)
        hashes.append(hash)
        numbers[name] = number
        return number
    }

    /// Gives numbers that no entry has any more to new kinds, when all are given out.
    ///
    /// Older snapshots have tables of their own, in which the old names stand.
    ///
    /// - Parameter live: The numbers that entries have.
    mutating func reclaim(keeping live: [KindCount]) {
        guard names.count >= KindTable.limit, free.isEmpty else { return }
        let used = Set(live.map(\.kind))
        reclaimed += 1
        for number in 1..<UInt16(names.count) where !used.contains(number) {
            numbers[names[Int(number)]] = nil
            names[Int(number)] = ""
            free.append(number)
        }
    }

    /// The number of a kind that has been seen.
    func number(of name: String) -> UInt16? { numbers[name] }
}
