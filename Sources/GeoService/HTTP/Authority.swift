/// A host and perhaps a port, as `Host` names them; validated, so that it can stand in a link.
package struct Authority: Hashable, Sendable {
    /// The host in lower case; IPv6 in brackets.
    package let host: String
    /// The port, where one is named.
    package let port: UInt16?

    /// Reads `example.org`, `example.org:8080`, `127.0.0.1` or `[::1]:8080`; at most 255 bytes.
    package init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.count <= 255 else { return nil }
        var name = text[...]
        var port: UInt16?
        let afterHost = text.lastIndex(of: "]").map { text.index(after: $0) } ?? text.startIndex
        if let colon = text[afterHost...].firstIndex(of: ":") {
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(digits)
            else { return nil }
            port = number
            name = text[..<colon]
        }
        if name.hasPrefix("[") {
            guard IPAddress(name) != nil else { return nil }
        } else {
            let isName = name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
                default: false
                }
            }
            guard isName, !name.isEmpty else { return nil }
        }
        host = name.lowercased()
        self.port = port
    }

    /// Whether the host can only mean this machine: `localhost`, `127.0.0.1` or `[::1]`.
    package var isLocal: Bool { host == "localhost" || host == "127.0.0.1" || host == "[::1]" }
}

extension Authority: CustomStringConvertible {
    /// `host` or `host:port`.
    package var description: String { port.map { "\(host):\($0)" } ?? host }
}
