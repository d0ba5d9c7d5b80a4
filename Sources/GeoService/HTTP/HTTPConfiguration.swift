import Synchronization

/// Who may read answers from another origin.
package enum CORSPolicy: Equatable, Sendable {
    /// Every origin.
    case any
    /// These origins only, such as `https://example.org`.
    case origins([String])
}

/// What the server needs to know, apart from its routes.
package struct HTTPConfiguration: Sendable {
    /// The address and port to listen on: `127.0.0.1:8080`, `[::1]:0`, `localhost:8080`. Port 0
    /// takes a free one.
    package var listen = "127.0.0.1:8080"
    /// Event threads; handlers run on them. 0 means one for each processor.
    package var threads = 0
    /// What a client may cost.
    package var limits = Limits()
    /// The root of all links, such as `https://maps.example.org/geo`, without a slash at its end.
    package var publicURL: String?
    /// The proxies whose `Forwarded` and `X-Forwarded-` fields count.
    package var trustedProxies: [AddressRange] = []
    /// The origins that may read answers.
    package var cors = CORSPolicy.any
    /// Turns an error into an answer: what a handler threw, or a ``Problem`` of the server itself
    /// (404, 405, 413, …). `nil` leaves it to the server: a ``Problem`` as it is, anything else
    /// as a 500 that says nothing of its cause.
    package var errorResponse: (@Sendable (any Error, Request) -> Response?)?
    /// Called once for every answered request, on the event thread: keep it short.
    package var onCompletion: (@Sendable (Completion) -> Void)?

    /// The defaults.
    package init() {}
}

/// One answered request, for metrics and logs. Holds no query and no parameter.
package struct Completion: Sendable {
    /// The method.
    package let method: HTTPMethod
    /// The route's template, or `nil` when no route matched.
    package let template: String?
    /// The status that was sent.
    package let status: HTTPStatus
    /// The time from the parsed head to the sent answer, in milliseconds (coarse: steps of 4).
    package let milliseconds: UInt64
    /// Whether the answer was sent to its end.
    package let isComplete: Bool
}

/// The configuration as requests need it: computed once, shared by all.
final class ServerFacts: Sendable {
    let configuration: HTTPConfiguration
    /// Whether requests without forwarding fields are in loopback mode.
    let isLoopback: Bool
    private let draining = Atomic(false)
    /// The address listened on: one machine's connections to itself come from there.
    private let ownAddress: IPAddress?

    init(
        _ configuration: HTTPConfiguration, listensOnLoopback: Bool,
        ownAddress: IPAddress? = nil
    ) {
        self.configuration = configuration
        self.ownAddress = ownAddress
        isLoopback =
            listensOnLoopback && configuration.publicURL == nil
            && configuration.trustedProxies.isEmpty
    }

    /// Whether the server is stopping.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func startDraining() { draining.store(true, ordering: .relaxed) }

    func isOwnAddress(_ address: IPAddress) -> Bool { address == ownAddress }

    func isTrusted(_ address: IPAddress) -> Bool {
        configuration.trustedProxies.contains { $0.contains(address) }
    }
}
