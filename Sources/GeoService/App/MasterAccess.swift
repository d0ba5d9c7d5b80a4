/// Who may do everything: requests that carry the master key and come from where it may be used.
///
/// The key counts only together with the application's id, from the addresses of the setting
/// `GEOSERVICE_MASTER_KEY_IPS`. What a proxy forwarded never counts as coming from this machine.
/// A local key (``ServerNote``) is as good, for unforwarded requests of this machine alone.
struct MasterAccess: Sendable {
    /// What a request's keys amount to.
    enum Verdict: Equatable, Sendable {
        /// It may do everything.
        case granted
        /// It carries no master key.
        case noKey
        /// The application's id is missing or another.
        case wrongApplication
        /// The master key is another.
        case wrongKey
        /// The key is right, but not to be used from there.
        case wrongAddress
    }

    let keys: Keys
    let addresses: [AddressRange]
    /// The key of this machine's commands, for the lifetime of the server.
    let localKey: String?

    /// What the keys of a request amount to.
    func judge(_ request: Request) -> Verdict {
        guard let key = request.header("x-parse-master-key") else { return .noKey }
        let appID = request.header("x-parse-application-id") ?? ""
        guard Keys.areEqual(appID, keys.appID) else { return .wrongApplication }
        return judge(key, of: request)
    }

    /// What a master key amounts to, wherever the request has it, when the application's id was
    /// found right.
    func judge(_ key: String, of request: Request) -> Verdict {
        let address = request.clientAddress
        let isForwarded = request.hasForwarding
        if let localKey, Keys.areEqual(key, localKey) {
            return !isForwarded && request.isFromThisMachine ? .granted : .wrongAddress
        }
        guard Keys.areEqual(key, keys.masterKey) else { return .wrongKey }
        guard !(isForwarded && address.isLoopback) else { return .wrongAddress }
        return addresses.contains { $0.contains(address) } ? .granted : .wrongAddress
    }

    /// Lets through what may do everything.
    ///
    /// - Throws: ``Problem``: 401 without the right keys, 403 from another address.
    func require(_ request: Request) throws(Problem) {
        switch judge(request) {
        case .granted: return
        case .noKey, .wrongApplication, .wrongKey:
            throw Problem(
                .unauthorized,
                "this needs the headers X-Parse-Application-Id and X-Parse-Master-Key with the "
                    + "application's id and master key")
        case .wrongAddress:
            throw Problem(
                .forbidden,
                "the master key may not be used from this address: GEOSERVICE_MASTER_KEY_IPS "
                    + "lists those from which it may")
        }
    }
}
