/// What trusted proxies say of a request: who sent it, by which scheme, to which host.
struct ForwardedChain: Equatable, Sendable {
    /// The rightmost address that is not a trusted proxy's.
    var client: IPAddress
    /// `http` or `https`, from the nearest proxy that says it.
    var scheme: String?
    /// The host that the client asked for, as the nearest proxy says it; not yet validated.
    var host: String?

    /// Reads `Forwarded` (RFC 7239), else the `X-Forwarded-` fields.
    ///
    /// Only a trusted peer is believed, and of what it forwards only what trusted hops added: the
    /// list is walked from its end, and the first address that is not trusted is the client's. A
    /// hop that cannot be read ends the walk at the hop before it.
    ///
    /// A proxy that writes one of the two fields passes on what a client sent in the other. Which of
    /// them it writes is not known here: where both are there and name different clients, the
    /// client is ``IPAddress/unknown``.
    init(peer: IPAddress, head: HeaderBlock, isTrusted: (IPAddress) -> Bool) {
        client = peer
        guard isTrusted(peer) else { return }
        let addresses = head.list(.forwardedFor, "x-forwarded-for")?.split(separator: ",")
        let hops = addresses?.map { Element(node: String(Self.trimmed($0))) } ?? []
        if let forwarded = head.list(.forwarded, "forwarded") {
            walk(Self.elements(forwarded), isTrusted)
            guard addresses != nil else { return }
            var other = self
            other.client = peer
            other.walk(hops, isTrusted)
            if other.client != client { client = .unknown }
        } else {
            walk(hops, isTrusted)
            scheme = Self.last(head.list(.forwardedProto, "x-forwarded-proto"))
                .flatMap { Self.scheme($0) }
            host = Self.last(head.list(.forwardedHost, "x-forwarded-host"))
        }
    }

    private struct Element {
        var node: String?
        var scheme: String?
        var host: String?
    }

    private mutating func walk(_ elements: [Element], _ isTrusted: (IPAddress) -> Bool) {
        for element in elements.reversed() {
            if scheme == nil { scheme = element.scheme }
            if host == nil { host = element.host }
            guard let address = element.node.flatMap({ Self.address($0) }) else { return }
            client = address
            if !isTrusted(address) { return }
        }
    }

    private static func last(_ list: String?) -> String? {
        list?.split(separator: ",").last.map { String(trimmed($0)) }
    }

    private static func scheme(_ text: String) -> String? {
        switch text.lowercased() {
        case "http": "http"
        case "https": "https"
        default: nil
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    /// `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80`, `2001:db8::1`.
    private static func address(_ node: String) -> IPAddress? {
        if let whole = IPAddress(node) { return whole }
        guard let colon = node.lastIndex(of: ":"),
            UInt16(node[node.index(after: colon)...]) != nil
        else { return nil }
        return IPAddress(node[..<colon])
    }

    /// Splits at commas, and each element at semicolons, outside quotes.
    private static func elements(_ text: String) -> [Element] {
        var elements = [Element()]
        var pair = ""
        var isQuoted = false
        var isEscaped = false
        func take(_ pair: String, _ element: inout Element) {
            guard let equals = pair.firstIndex(of: "=") else { return }
            let value = String(trimmed(pair[pair.index(after: equals)...]))
            switch trimmed(pair[..<equals]).lowercased() {
            case "for": element.node = value
            case "proto": element.scheme = scheme(value)
            case "host": element.host = value
            default: break
            }
        }
        for character in text {
            if isEscaped {
                pair.append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted, character == ";" || character == "," {
                take(pair, &elements[elements.count - 1])
                pair = ""
                if character == "," { elements.append(Element()) }
            } else {
                pair.append(character)
            }
        }
        take(pair, &elements[elements.count - 1])
        return elements
    }
}
