/// The longitudes of ``WorldPoint`` columns: an index stores the column of a place alone.
///
/// A longitude of k = lonE7 + 1.8·10⁹ units lies at v = k · 2³² / 3.6·10⁹ = k · 2²² / 3515625
/// columns, and its column is ⌊v⌋, computed in doubles with an error below 10⁻⁶. Two longitudes
/// next to one another are 1.19 columns apart, so they never share a column, but for ±180°, which
/// are one meridian: a column tells the longitude.
///
/// Going back, k is ⌈x · 3515625 / 2²²⌉ where the exact floor decides. The doubles can only decide
/// otherwise when v lies within 10⁻⁶ of a whole number, that is when x · 3515625 mod 2²² is below
/// 4 (v just below x, rounded up to it): then the unit below is tried first. Where v lies just
/// above a whole number x + 1 and was rounded down to x, the ceiling for x is the same unit.
enum ColumnLongitude {
    /// The longitude of a column in which an entry lies, in units of 1e-7°; -180° for column 0.
    @inline(__always)
    static func lonE7(ofColumn x: UInt32) -> Int32 {
        // Below 2^32 · 2^22.
        let product = UInt64(x) &* 3_515_625
        let rest = product & 0x3f_ffff
        if rest != 0 && rest < 4 { return ambiguous(x, below: product &>> 22) }
        return Int32(truncatingIfNeeded: Int64((product &+ 0x3f_ffff) &>> 22) &- 1_800_000_000)
    }

    /// One of about 3,000 columns of the world: the projection itself decides.
    @inline(never)
    private static func ambiguous(_ x: UInt32, below unit: UInt64) -> Int32 {
        let lower = Int32(Int64(unit) - 1_800_000_000)
        return WorldPoint.column(ofLon: Double(lower) / 1e7) == x ? lower : lower + 1
    }
}
