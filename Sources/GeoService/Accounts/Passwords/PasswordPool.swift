/// The threads on which passwords are hashed: two, so that logins never fill the processors, with
/// a bounded queue, so that one who waits is answered while he still listens.
struct PasswordPool: Sendable {
    let pool = WorkPool(threads: 2, queueLimit: queueLimit)
    let hasher: PasswordHasher

    /// Two threads do some 25 a second: more would wait for longer than clients do.
    static let queueLimit = 128

    /// Queues work that hashes; false when too much is waiting.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool { pool.submit(job) }
}
