import COpenSSL

/// A public RSA key that checks signatures of RS256.
@safe final class RSAPublicKey: Sendable {
    // OpenSSL's keys may be read by many threads at once.
    private nonisolated(unsafe) let key: OpaquePointer

    /// Shorter keys can be broken (NIST SP 800-131A); longer ones take long.
    private static let lengthBits = 2048...8192

    /// The key of a modulus and an exponent, both big-endian; nil when they make none, or a weak
    /// one.
    init?(modulus: [UInt8], exponent: [UInt8]) {
        guard modulus.count <= 1024, (1...8).contains(exponent.count),
            let key = unsafe copenssl_rsa_key(
                modulus, Int32(modulus.count), exponent, Int32(exponent.count))
        else { return nil }
        guard unsafe Self.lengthBits.contains(Int(EVP_PKEY_get_bits(key))) else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// Whether a signature is this key's under a message: RSASSA-PKCS1-v1_5 with SHA-256
    /// (RFC 8017 §8.2, RFC 7518 §3.3).
    func hasSigned(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
        unsafe copenssl_verify_rs256(
            key, message, message.count, signature, signature.count) == 1
    }
}
