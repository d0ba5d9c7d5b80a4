/// Tells contents that were there before from new ones, by a hash of 128 bits.
///
/// The hash has a secret of the process, so that nobody can make two tiles that pass for one
/// another (SipHash: J.-P. Aumasson, D. Bernstein, INDOCRYPT 2012). It takes a bounded amount of
/// memory: of very many different contents the first are known, and others are taken for new.
struct TileContents {
    /// How many are known at most: about 40 MB.
    static let most = 1 << 19

    private struct Key: Hashable {
        var first: Int
        var second: Int
    }

    private var places: [Key: (offset: UInt64, length: UInt32)] = [:]

    /// The place of a content that was there before; nil for a new one, which is known from now on.
    ///
    /// - Parameter offset: Where the new one goes.
    mutating func place(
        of content: [UInt8], orPut offset: UInt64
    ) -> (offset: UInt64, length: UInt32)? {
        let key = unsafe content.withUnsafeBytes { bytes in
            var first = Hasher()
            unsafe first.combine(bytes: bytes)
            var second = Hasher()
            second.combine(UInt8(1))
            unsafe second.combine(bytes: bytes)
            return Key(first: first.finalize(), second: second.finalize())
        }
        if let known = places[key], known.length == content.count { return known }
        if places.count < TileContents.most { places[key] = (offset, UInt32(content.count)) }
        return nil
    }
}
