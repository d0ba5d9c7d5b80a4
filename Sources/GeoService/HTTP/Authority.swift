/// A host and perhaps a port, as `Host` names them; validated, so that it can stand in a link.
package struct Authority: Hashable, Sendable {
    /// The host in lower case; IPv6 in brackets.
    package let host: String
    /// The port, where one is named.
    package let port: UInt16?

    /// Reads `example.org`, `example.org:8080`, `127.0.0.1` or `[::1]:8080`; at most 255 bytes.
    package init?(_ text: some StringProtocol) { self.init(bytes: Array(text.utf8)[...]) }

    /// Reads the same from bytes. Every request has some, so that no text is made on the way.
    init?(bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty, bytes.count <= 255 else { return nil }
        let (colonSign, bracket) = (UInt8(ascii: ":"), UInt8(ascii: "]"))
        var name = bytes
        var port: UInt16?
        let afterHost = bytes.lastIndex(of: bracket).map { $0 + 1 } ?? bytes.startIndex
        if let colon = bytes[afterHost...].firstIndex(of: colonSign) {
            guard let number = Authority.port(bytes[(colon + 1)...]) else { return nil }
            port = number
            name = bytes[..<colon]
        }
        guard let first = name.first else { return nil }
        if first == UInt8(ascii: "[") {
            let text = String(decoding: name, as: UTF8.self)
            guard IPAddress(text) != nil else { return nil }
            host = text.lowercased()
        } else {
            guard name.allSatisfy(Authority.isOfName) else { return nil }
            let text = String(decoding: name, as: UTF8.self)
            host = name.contains { (0x41...0x5a).contains($0) } ? text.lowercased() : text
        }
        self.port = port
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
    }

    private static func port(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard !digits.isEmpty else { return nil }
        var number: UInt32 = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            // At most 65,535 before: far from overflow.
            number = number &* 10 &+ UInt32(byte &- 0x30)
            if number > UInt32(UInt16.max) { return nil }
        }
        return UInt16(truncatingIfNeeded: number)
    }

    /// Whether the host can only mean this machine: `localhost`, `127.0.0.1` or `[::1]`.
    package var isLocal: Bool { host == "localhost" || host == "127.0.0.1" || host == "[::1]" }
}

extension Authority: CustomStringConvertible {
    /// `host` or `host:port`.
    package var description: String { port.map { "\(host):\($0)" } ?? host }
}
