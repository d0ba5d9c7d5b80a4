/// How often one address may do something with accounts, and how often something may be done with
/// one account: what keeps passwords from being guessed and mail from being sent for others.
struct AccountLimits: Sendable {
    /// What is limited.
    enum Act: Sendable {
        case login, signUp, passwordReset
    }

    /// The limits of one act; nil is none.
    private struct Pair: Sendable {
        let byAddress: RateLimiter<IPAddress>?
        let byAccount: RateLimiter<String>?

        init(_ perAddress: Int?, _ perAccount: Int?) {
            byAddress = perAddress.map { RateLimiter(TokenBucket.Rate(perMinute: $0)) }
            byAccount = perAccount.map { RateLimiter(TokenBucket.Rate(perMinute: $0)) }
        }
    }

    private let login: Pair
    private let signUp: Pair
    private let passwordReset: Pair
    private let now: @Sendable () -> UInt64

    init(
        _ settings: AccountSettings,
        now: @escaping @Sendable () -> UInt64 = { MonotonicClock.milliseconds }
    ) {
        login = Pair(settings.loginsPerAddress, settings.loginsPerAccount)
        signUp = Pair(settings.signUpsPerAddress, nil)
        passwordReset = Pair(settings.resetsPerAddress, settings.resetsPerAccount)
        self.now = now
    }

    /// Counts an act of an address.
    ///
    /// - Parameter address: Nil is one that is not limited: on this machine, through no proxy.
    /// - Throws: ``RateLimitError``.
    func check(_ act: Act, address: IPAddress?) throws(RateLimitError) {
        guard let address, let limiter = pair(act).byAddress else { return }
        try Self.refuse(limiter.take(address.network, now: now()))
    }

    /// Counts an act with an account, which there need not be.
    ///
    /// - Throws: ``RateLimitError``.
    func check(_ act: Act, account: String) throws(RateLimitError) {
        guard let limiter = pair(act).byAccount else { return }
        try Self.refuse(limiter.take(account, now: now()))
    }

    /// An act that succeeded does not count against the account: only guesses do.
    func succeeded(_ act: Act, account: String) {
        pair(act).byAccount?.giveBack(account)
    }

    private func pair(_ act: Act) -> Pair {
        switch act {
        case .login: login
        case .signUp: signUp
        case .passwordReset: passwordReset
        }
    }

    private static func refuse(_ waitMilliseconds: UInt64?) throws(RateLimitError) {
        guard let waitMilliseconds else { return }
        throw RateLimitError(retryAfterSeconds: Int(waitMilliseconds / 1000) + 1)
    }
}

/// Something was done too often.
struct RateLimitError: Error, Equatable, Sendable {
    let retryAfterSeconds: Int
}

extension IPAddress {
    /// What one client has: the address itself, of IPv6 the 64 bits that a provider gives out.
    var network: IPAddress { isIPv4 ? self : IPAddress(network: high) }
}
