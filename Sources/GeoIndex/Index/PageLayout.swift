/// Where the columns of a page stand in its memory, in bytes from its start.
///
/// Those of 8 bytes come first, then those of 4, 2 and 1, so that each is aligned; the optional
/// ones begin at the next multiple of 8.
struct PageLayout: Sendable, Equatable {
    /// Entries.
    let count: Int
    let hasExpiries: Bool
    let hasOwners: Bool
    /// Whether some entry has longitude +180°.
    let hasEastEnd: Bool
    /// Value columns.
    let fields: Int

    /// Bytes of an entry without optional columns.
    static let entryBytes = 42

    var objects: Int { 0 }
    var times: Int { 8 &* count }
    var contents: Int { 16 &* count }
    var xs: Int { 24 &* count }
    var ys: Int { 28 &* count }
    var lats: Int { 32 &* count }
    var weights: Int { 36 &* count }
    var kinds: Int { 40 &* count }
    var expiries: Int { (PageLayout.entryBytes &* count &+ 7) & ~7 }
    var owners: Int { expiries &+ (hasExpiries ? 8 &* count : 0) }
    /// The first value column; the others follow.
    var values: Int { owners &+ (hasOwners ? 8 &* count : 0) }
    var eastEnds: Int { values &+ 8 &* count &* fields }
    /// All of it.
    var bytes: Int {
        let end = eastEnds &+ (hasEastEnd ? count : 0)
        return end == expiries ? PageLayout.entryBytes &* count : end
    }

    /// The columns that a page has, and the bytes of one entry in each.
    var columns: [(offset: Int, stride: Int)] {
        var columns = [
            (objects, 8), (times, 8), (contents, 8), (xs, 4), (ys, 4), (lats, 4), (weights, 4),
            (kinds, 2),
        ]
        if hasExpiries { columns.append((expiries, 8)) }
        if hasOwners { columns.append((owners, 8)) }
        for field in 0..<fields { columns.append((values + 8 * count * field, 8)) }
        if hasEastEnd { columns.append((eastEnds, 1)) }
        return columns
    }
}
