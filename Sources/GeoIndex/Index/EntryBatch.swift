/// Entries on their way into pages: records, and columns of what few objects have.
///
/// A column is empty until an entry comes that needs it.
struct EntryBatch: Sendable {
    /// What a value column holds for an object without the value.
    static let noValue = Int64.min

    /// How many aggregated fields the layer has.
    let fields: Int
    private(set) var entries: [IndexEntry] = []
    /// Whether an entry has longitude +180°.
    private(set) var hasEastEnd = false
    /// Milliseconds since 1970; `Int64.max` for entries that stay.
    private(set) var expires: [Int64] = []
    private(set) var owners: [UInt64] = []
    /// `fields` values of each entry.
    private(set) var values: [Int64] = []

    init(fields: Int) { self.fields = fields }

    var count: Int { entries.count }

    mutating func reserve(_ capacity: Int) { entries.reserveCapacity(capacity) }

    /// Whether an entry has a value of some field.
    func hasValues(_ index: Int) -> Bool {
        !values.isEmpty
            && values[(index * fields)..<((index + 1) * fields)].contains { $0 != Self.noValue }
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        hasEastEnd = false
        expires.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// Appends an entry.
    @inline(__always)
    mutating func append(_ entry: IndexEntry, expires: Int64 = .max, owner: UInt64 = 0) {
        if expires != .max || !self.expires.isEmpty { append(expires: expires) }
        if owner != 0 || !owners.isEmpty { append(owner: owner) }
        if !values.isEmpty { values.append(contentsOf: repeatElement(Self.noValue, count: fields)) }
        if entry.isEastEnd { hasEastEnd = true }
        entries.append(entry)
    }

    /// Appends an entry and its values; what the layer has no field for is left out.
    @inline(__always)
    mutating func append(_ entry: IndexEntry, of placement: Placement) {
        append(entry, expires: placement.expires ?? .max, owner: placement.owner)
        if fields > 0 && !placement.values.isEmpty { setValues(placement.values) }
    }

    /// Sets the values of the last entry.
    mutating func setValues(_ given: [Int64?]) {
        if values.isEmpty {
            values = [Int64](repeating: Self.noValue, count: fields * entries.count)
        }
        let start = values.count - fields
        for (field, value) in given.prefix(fields).enumerated() {
            // The lowest number stands for none.
            values[start + field] = value.map { max($0, .min + 1) } ?? Self.noValue
        }
    }

    private mutating func append(expires instant: Int64) {
        if expires.isEmpty {
            expires.reserveCapacity(entries.capacity)
            expires.append(contentsOf: repeatElement(.max, count: entries.count))
        }
        expires.append(instant)
    }

    private mutating func append(owner: UInt64) {
        if owners.isEmpty {
            owners.reserveCapacity(entries.capacity)
            owners.append(contentsOf: repeatElement(0, count: entries.count))
        }
        owners.append(owner)
    }

    /// Appends an entry of a page.
    mutating func append(_ page: LeafPage, _ index: Int) {
        append(page.entry(index), expires: page.expiry(index), owner: page.owner(index))
        copyValues(of: page, index)
    }

    /// Appends entries of a page.
    mutating func append(_ page: LeafPage, _ range: Range<Int>) {
        for index in range { append(page, index) }
    }

    /// Appends an entry of another batch of the same layer.
    mutating func append(_ other: EntryBatch, _ index: Int) {
        append(
            other.entries[index], expires: other.expires.isEmpty ? .max : other.expires[index],
            owner: other.owners.isEmpty ? 0 : other.owners[index])
        if !other.values.isEmpty {
            setValues(
                (0..<fields).map { field in
                    let value = other.values[index * fields + field]
                    return value == Self.noValue ? nil : value
                })
        }
    }

    private mutating func copyValues(of page: LeafPage, _ index: Int) {
        if page.hasValues { setValues((0..<fields).map { page.value($0, index) }) }
    }

    /// Takes records of entries that need no other column, each into its part; the batch was empty.
    ///
    /// - Parameters:
    ///   - starts: Where each part begins.
    ///   - part: The part of a record.
    ///   - entry: A record; asked for in order.
    @inline(__always)
    mutating func fill(
        _ count: Int, starts: [Int], part: (Int) -> Int, entry: (Int) -> IndexEntry
    ) {
        var next = starts
        var hasEastEnd = false
        // Every place below the count is written once: the parts are as large as their entries
        // are many, and the buffer checks nothing.
        entries = unsafe [IndexEntry](unsafeUninitializedCapacity: count) { target, filled in
            unsafe HugePages.advise(target)
            for index in 0..<count {
                let part = part(index)
                let place = next[part]
                next[part] = place &+ 1
                let entry = entry(index)
                if entry.isEastEnd { hasEastEnd = true }
                unsafe target.initializeElement(at: place, to: entry)
            }
            filled = count
        }
        self.hasEastEnd = hasEastEnd
    }

    /// Puts every entry into its part, in the order of coming.
    ///
    /// - Parameters:
    ///   - starts: Where each part begins.
    ///   - part: The part of a key.
    @inline(__always)
    mutating func reorder(_ starts: [Int], part: (UInt64) -> Int) {
        let hasExtras = !expires.isEmpty || !owners.isEmpty || !values.isEmpty
        var next = starts
        var places: [Int] = []
        if hasExtras { places.reserveCapacity(count) }
        let old = entries
        // Every place below the count is written once: the parts are as large as their entries
        // are many, and the buffer checks nothing.
        entries = unsafe [IndexEntry](unsafeUninitializedCapacity: old.count) { target, count in
            unsafe HugePages.advise(target)
            for entry in old {
                let part = part(entry.key)
                let place = next[part]
                next[part] = place &+ 1
                unsafe target.initializeElement(at: place, to: entry)
                if hasExtras { places.append(place) }
            }
            count = old.count
        }
        if !expires.isEmpty { expires = EntryBatch.reordered(expires, places, width: 1) }
        if !owners.isEmpty { owners = EntryBatch.reordered(owners, places, width: 1) }
        if !values.isEmpty { values = EntryBatch.reordered(values, places, width: fields) }
    }

    private static func reordered<Value>(_ old: [Value], _ places: [Int], width: Int) -> [Value] {
        var new = old
        for (index, place) in places.enumerated() {
            for column in 0..<width { new[place * width + column] = old[index * width + column] }
        }
        return new
    }

    /// Cuts sorted entries into pages of nearly equal size, none over `target`.
    func pages(target: Int, _ context: PageContext) -> [LeafPage] {
        guard count > 0 else { return [] }
        let order = (0..<UInt32(count)).map { $0 }
        return pages(order: order, target: target, context)
    }

    /// Cuts entries, taken in an order, into pages of nearly equal size, none over `target`.
    func pages(order: [UInt32], target: Int, _ context: PageContext) -> [LeafPage] {
        let parts = (order.count + target - 1) / target
        return (0..<parts).map { part in
            LeafPage(
                self,
                order[(part * order.count / parts)..<((part + 1) * order.count / parts)],
                context)
        }
    }
}
