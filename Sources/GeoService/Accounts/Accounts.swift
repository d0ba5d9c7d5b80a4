import GeoStore
import Synchronization

/// What accounts need besides the store: settings, limits, threads, providers and mail.
final class Accounts: Sendable {
    let settings: AccountSettings
    let store: SQLiteStore
    let sessions: SessionDirectory
    let limits: AccountLimits
    let providers: AuthProviders
    let passwords: PasswordPool
    /// Questions to login providers, which take seconds at worst.
    let askingPool = WorkPool(threads: 4, queueLimit: 256)
    /// Mail goes out one by one, and nobody waits for it.
    let mail: MailRoom?

    /// - Throws: ``SettingError``; ``PasswordError``; as ``AccountSchema/declare(in:)``.
    init(
        _ settings: AccountSettings, store: SQLiteStore, directory: String, appID: String,
        publicURL: String?, now: @escaping @Sendable () -> Timestamp
    ) throws {
        try AccountSchema.declare(in: store)
        self.settings = settings
        self.store = store
        sessions = SessionDirectory(store, now: now)
        limits = AccountLimits(settings)
        providers = try settings.providers()
        passwords = PasswordPool(
            hasher: try PasswordHasher(memoryBytes: settings.passwordMemoryBytes))
        mail = try settings.outbox(directory: directory).map { outbox in
            MailRoom(
                outbox, store: store, appID: appID, publicURL: publicURL,
                verifiesEmails: settings.verifiesEmails, now: now)
        }
    }

    /// Takes over the changes of a commit, on the writer's thread.
    func apply(_ changes: [DocumentChange]) {
        sessions.apply(changes)
        mail?.apply(changes)
    }

    /// Lets what waits be done, and takes no more.
    func shut() {
        passwords.pool.shut()
        askingPool.shut()
        mail?.pool.shut()
    }
}
