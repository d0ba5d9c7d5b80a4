import CSodium

/// What a password is kept as: argon2id (RFC 9106) of it with a random salt, and the parameters.
struct PasswordHash: Hashable, Sendable {
    /// `$argon2id$v=19$m=65536,t=2,p=1$salt$digest`.
    let text: String

    init(text: String) {
        self.text = text
    }
}

/// Why a password was not hashed.
enum PasswordError: Error, Equatable, Sendable {
    /// There is no memory for the hash now.
    case outOfMemory
    /// Too many passwords are waiting.
    case busy
}

/// Hashes passwords and compares them with their hashes: some 80 ms of one core each, on purpose.
struct PasswordHasher: Sendable {
    /// How much memory each hash fills, in bytes. The time grows with it.
    let memoryBytes: Int
    /// What a password is compared with where there is no user, so that it costs the same.
    private let nobody: PasswordHash

    /// The library's bound for interactive logins.
    static let defaultMemoryBytes = 64 << 20
    /// The longest password, in bytes of UTF-8.
    static let greatestPasswordBytes = 4096

    /// - Throws: ``PasswordError/outOfMemory``.
    init(memoryBytes: Int = defaultMemoryBytes) throws(PasswordError) {
        self.memoryBytes = memoryBytes
        nobody = try Self.hash("", memoryBytes: memoryBytes)
    }

    /// The hash of a password with a new salt.
    ///
    /// - Throws: ``PasswordError/outOfMemory``.
    func hash(_ password: String) throws(PasswordError) -> PasswordHash {
        try Self.hash(password, memoryBytes: memoryBytes)
    }

    private static func hash(
        _ password: String, memoryBytes: Int
    ) throws(PasswordError) -> PasswordHash {
        guard Sodium.isReady else { throw .outOfMemory }
        let bytes = password.utf8.map { CChar(bitPattern: $0) }
        var text = [CChar](repeating: 0, count: csodium_pwhash_text_bytes())
        let code = unsafe csodium_pwhash_text(
            &text, bytes, UInt64(bytes.count), csodium_pwhash_passes(), memoryBytes)
        guard code == 0 else { throw .outOfMemory }
        let end = text.firstIndex(of: 0) ?? text.endIndex
        return PasswordHash(
            text: String(
                decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Whether a password is the one of a hash. Without a hash it takes as long and says no.
    func verify(_ password: String, _ hash: PasswordHash?) -> Bool {
        let bytes = password.utf8.map { CChar(bitPattern: $0) }
        let known = hash ?? nobody
        let isRight =
            unsafe crypto_pwhash_str_verify(
                known.text, bytes, UInt64(bytes.count)) == 0
        return isRight && hash != nil
    }

    /// Whether a hash was made with other parameters than those of now.
    func isOutdated(_ hash: PasswordHash) -> Bool {
        unsafe crypto_pwhash_str_needs_rehash(
            hash.text, csodium_pwhash_passes(), memoryBytes) != 0
    }
}
