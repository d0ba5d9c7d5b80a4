/// Where the columns of a page stand in its memory, in bytes from its start.
///
/// First come the boxes of ``PageGroups`` and the two columns that a search for what is near reads,
/// next to one another; then what is left, the optional columns at the next multiple of 8. The four
/// of 4 bytes take a multiple of 8, so that each column is aligned.
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

    /// Where the boxes end and the first column begins.
    static let start = PageGroups.bytes

    var xs: Int { PageLayout.start }
    var lats: Int { PageLayout.start &+ 4 &* count }
    var ys: Int { PageLayout.start &+ 8 &* count }
    var weights: Int { PageLayout.start &+ 12 &* count }
    var objects: Int { PageLayout.start &+ 16 &* count }
    var times: Int { PageLayout.start &+ 24 &* count }
    var contents: Int { PageLayout.start &+ 32 &* count }
    var kinds: Int { PageLayout.start &+ 40 &* count }
    /// Where the columns that all pages have end.
    var common: Int { PageLayout.start &+ PageLayout.entryBytes &* count }
    var expiries: Int { (common &+ 7) & ~7 }
    var owners: Int { expiries &+ (hasExpiries ? 8 &* count : 0) }
    /// The first value column; the others follow.
    var values: Int { owners &+ (hasOwners ? 8 &* count : 0) }
    var eastEnds: Int { values &+ 8 &* count &* fields }
    /// All of it.
    var bytes: Int {
        let end = eastEnds &+ (hasEastEnd ? count : 0)
        return end == expiries ? common : end
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
