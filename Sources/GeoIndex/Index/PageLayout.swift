/// Where the columns of a page stand in its memory, in bytes from its start.
///
/// First come the boxes of ``PageGroups`` and the two columns that a search for what is near reads,
/// each at the start of a line of the cache: a full group of entries is one line of either. Then
/// comes what is left, the optional columns at the next multiple of 8. The two of 4 bytes before
/// those of 8 take a multiple of 8, so that each column is aligned.
struct PageLayout: Sendable, Equatable {
    /// The count, a bit for each optional column, and the value columns.
    private let bits: UInt32

    /// Bytes of a line of the cache; a page's memory begins at a multiple.
    static let lineBytes = 64
    /// That of no entries.
    static var none: PageLayout {
        PageLayout(count: 0, hasExpiries: false, hasOwners: false, hasEastEnd: false, fields: 0)
    }
    /// No page has as many value columns.
    static let fieldLimit = 1 << 16

    /// - Precondition: there are no more entries than a page may have, and fewer fields than
    ///   ``fieldLimit``.
    init(count: Int, hasExpiries: Bool, hasOwners: Bool, hasEastEnd: Bool, fields: Int) {
        precondition(0...LeafPage.capacity ~= count, "\(count) entries")
        precondition(0..<PageLayout.fieldLimit ~= fields, "\(fields) fields")
        bits =
            UInt32(count) | (hasExpiries ? PageLayout.expiriesBit : 0)
            | (hasOwners ? PageLayout.ownersBit : 0) | (hasEastEnd ? PageLayout.eastEndBit : 0)
            | UInt32(fields) << 16
    }

    private static let expiriesBit: UInt32 = 1 << 12
    private static let ownersBit: UInt32 = 1 << 13
    private static let eastEndBit: UInt32 = 1 << 14

    /// Entries.
    @inline(__always) var count: Int { Int(bits & 0xfff) }
    var hasExpiries: Bool { bits & PageLayout.expiriesBit != 0 }
    var hasOwners: Bool { bits & PageLayout.ownersBit != 0 }
    /// Whether some entry has longitude +180°.
    @inline(__always) var hasEastEnd: Bool { bits & PageLayout.eastEndBit != 0 }
    /// Value columns.
    var fields: Int { Int(bits >> 16) }

    var xs: Int { PageGroups.bytes }
    /// Where the first column ends; nothing stands between it and the next.
    var xsEnd: Int { xs &+ 4 &* count }
    var lats: Int { (xsEnd &+ (PageLayout.lineBytes &- 1)) & ~(PageLayout.lineBytes &- 1) }
    var ys: Int { lats &+ 4 &* count }
    var objects: Int { lats &+ 8 &* count }
    var times: Int { lats &+ 16 &* count }
    var contents: Int { lats &+ 24 &* count }
    var weights: Int { lats &+ 32 &* count }
    var kinds: Int { lats &+ 36 &* count }
    /// Where the columns that all pages have end.
    var common: Int { lats &+ 38 &* count }
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
}
