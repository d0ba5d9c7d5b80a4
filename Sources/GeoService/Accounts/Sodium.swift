import CSodium

/// The few calls of libsodium that accounts are made of.
enum Sodium {
    /// Whether the library is ready; it prepares itself once.
    static let isReady = sodium_init() >= 0

    /// How many bytes a digest has.
    static let digestBytes = 32

    /// Bytes from the system's random source.
    static func randomBytes(_ count: Int) -> [UInt8] {
        precondition(isReady, "libsodium has no random source")
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// BLAKE2b (RFC 7693) of 256 bits.
    ///
    /// - Parameter purpose: Up to 64 bytes that set digests for one purpose apart from those for
    ///   another. Shorter than the 16 bytes that a key needs, it is filled up with zeros.
    /// - Complexity: O(bytes), about 1 ns a byte.
    static func digest(_ bytes: [UInt8], purpose: StaticString) -> [UInt8] {
        var key = Array("\(purpose)".utf8)
        if key.count < 16 { key += [UInt8](repeating: 0, count: 16 - key.count) }
        return digest(bytes, key: key)
    }

    /// BLAKE2b of 256 bits with a secret key of 16 to 64 bytes: a seal that only who has the key can
    /// make.
    static func digest(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        precondition((16...64).contains(key.count), "a key of \(key.count) bytes")
        var digest = [UInt8](repeating: 0, count: digestBytes)
        let code = unsafe crypto_generichash(
            &digest, digest.count, bytes, UInt64(bytes.count), key, key.count)
        precondition(code == 0, "BLAKE2b refused its sizes")
        return digest
    }

    /// Whether two secrets are the same, in a time that depends on their lengths alone.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe sodium_memcmp(left, right, left.count) == 0
    }
}
