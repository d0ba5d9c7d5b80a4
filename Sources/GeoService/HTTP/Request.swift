/// One request: an immutable value of its own, valid on any thread and for as long as it is kept.
package final class Request: Sendable {
    /// The method; `HEAD` is answered by the handlers of `GET`.
    package let method: HTTPMethod
    /// The address at the other end of the socket: perhaps a proxy's. See ``clientAddress``.
    package let peer: IPAddress
    let head: HeaderBlock
    let facts: ServerFacts
    /// The request target as it came, and where its path and its query stand in it.
    let target: [UInt8]
    let pathRange: Range<Int>
    /// The path with escapes resolved; the target itself when it has none.
    let path: [UInt8]
    private let pathStart: Int
    private let pathEnd: Int
    /// The host of the request, from an absolute target or else from `Host`.
    package let authority: Authority?
    let route: Route?
    private let values: PathValues

    init(
        method: HTTPMethod, peer: IPAddress, head: HeaderBlock, facts: ServerFacts,
        target: TargetParts, authority: Authority?, route: Route?, values: PathValues
    ) {
        self.method = method
        self.peer = peer
        self.head = head
        self.facts = facts
        self.target = target.bytes
        pathRange = target.path
        path = target.decodedPath
        pathStart = target.decodedStart
        pathEnd = target.decodedEnd
        self.authority = authority
        self.route = route
        self.values = values
    }

    // MARK: - Path

    /// The template of the route that matched: the request's name in metrics.
    package var routeTemplate: String? { route?.template.text }

    /// The decoded path, beginning with `/`.
    package var pathText: String {
        String(decoding: path[pathStart..<pathEnd], as: UTF8.self)
    }

    private func range(_ name: String) -> Range<Int>? {
        guard let index = route?.template.names.firstIndex(of: name) else { return nil }
        let range = values[index]
        return (pathStart + range.lowerBound)..<(pathStart + range.upperBound)
    }

    /// A parameter of the path, decoded; `nil` when the template has none of that name.
    package func pathValue(_ name: String) -> String? {
        range(name).map { String(decoding: path[$0], as: UTF8.self) }
    }

    /// A parameter of the path that is a whole number: digits only, below 10^18, without zeros
    /// before it, so that what is numbered has one address.
    ///
    /// Costs no text: this is how tiles read their coordinates.
    package func pathNumber(_ name: String) -> Int? {
        guard let range = range(name), (1...18).contains(range.count) else { return nil }
        guard path[range.lowerBound] != 0x30 || range.count == 1 else { return nil }
        var number = 0
        for index in range {
            guard (0x30...0x39).contains(path[index]) else { return nil }
            // At most 18 digits, so far from overflow.
            number = number &* 10 &+ Int(path[index] &- 0x30)
        }
        return number
    }

    // MARK: - Header fields

    /// The first value of a header field; the name in any case.
    package func header(_ name: String) -> String? { head.first(name) }

    /// All values of a header field, in order.
    package func headers(_ name: String) -> [String] { head.values(name) }

    /// The media type of the body in lower case, without its parameters.
    package var contentType: String? {
        head.text(.contentType).map {
            let type = $0.prefix { $0 != ";" }
            return String(type.filter { $0 != " " && $0 != "\t" }).lowercased()
        }
    }

    // MARK: - Client and links

    /// What trusted proxies say of the request; the peer itself when it is none.
    private var chain: ForwardedChain {
        ForwardedChain(peer: peer, head: head) { facts.isTrusted($0) }
    }

    /// The client's address: the rightmost that is not a trusted proxy's.
    package var clientAddress: IPAddress {
        facts.configuration.trustedProxies.isEmpty ? peer : chain.client
    }

    /// The root of links to this service, without a slash at its end: the public URL when one is
    /// set, else the scheme and host that the client asked for.
    package var baseURL: String {
        if let publicURL = facts.configuration.publicURL { return publicURL }
        let chain = chain
        let host = chain.host.flatMap { Authority($0) } ?? authority
        return "\(chain.scheme ?? "http")://\(host?.description ?? "localhost")"
    }

    /// Whether the request carries any sign of a proxy.
    var hasForwarding: Bool { head.hasForwarding }

    /// Whether the socket's other end is on this machine, as far as its address tells.
    var isFromThisMachine: Bool { peer.isLoopback || facts.isOwnAddress(peer) }

    /// Whether the service listens on loopback, no public URL and no trusted proxy are set, and
    /// this request came through no proxy: what may be open by default then, is open.
    package var isLoopbackMode: Bool { facts.isLoopback && !hasForwarding }

    /// Whether the server is stopping: `/health` says so.
    package var isDraining: Bool { facts.isDraining }

    /// Whether the client has the answer of this tag already, so that it need not be made.
    ///
    /// The server compares by itself when an answer with a tag is sent; this is for handlers that
    /// know the tag before the body. They send ``Response/notModified(_:)``.
    package func has(_ tag: EntityTag) -> Bool {
        guard method == .get || method == .head, let known = head.range(.ifNoneMatch) else {
            return false
        }
        let list = head.bytes[known]
        return tag.match(list, among: [.identity, .gzip]) != nil
    }
}
