import CMicroHTTPD
import Glibc

/// An IPv4 or IPv6 address; IPv4 in its mapped form, so that one address is one value.
package struct IPAddress: Hashable, Sendable {
    /// The 128 bits, most significant half first; `::ffff:a.b.c.d` for IPv4.
    let high: UInt64
    let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The first address of an IPv6 network of 64 bits.
    init(network: UInt64) {
        self.init(high: network, low: 0)
    }

    /// 127.0.0.1.
    static let loopback = IPAddress(high: 0, low: 0xffff_7f00_0001)

    /// 0.0.0.0, which nobody has.
    static let unknown = IPAddress(high: 0, low: 0xffff_0000_0000)

    /// Reads `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`; nothing else, no port and no name.
    package init?(_ text: some StringProtocol) {
        var plain = String(text)
        if plain.hasPrefix("["), plain.hasSuffix("]") {
            plain = String(plain.dropFirst().dropLast())
            guard plain.contains(":") else { return nil }
        }
        guard plain.utf8.count < Int(INET6_ADDRSTRLEN), !plain.utf8.contains(0) else { return nil }
        if plain.contains(":") {
            var address = in6_addr()
            guard unsafe inet_pton(AF_INET6, plain, &address) == 1 else { return nil }
            self.init(address)
        } else {
            var address = in_addr()
            guard unsafe inet_pton(AF_INET, plain, &address) == 1 else { return nil }
            self.init(address)
        }
    }

    /// The address of a socket; `nil` for families that are not IP.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self.init(inner.sin_addr)
        case AF_INET6:
            let inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self.init(inner.sin6_addr)
        default: return nil
        }
    }

    private init(_ address: in_addr) {
        self.init(high: 0, low: 0xffff_0000_0000 | UInt64(UInt32(bigEndian: address.s_addr)))
    }

    private init(_ address: in6_addr) {
        var copy = address
        let halves = unsafe withUnsafeBytes(of: &copy) { bytes in
            unsafe (
                bytes.loadUnaligned(as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }

    /// Whether this is `a.b.c.d`.
    package var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        isIPv4 ? low & 0xff00_0000 == 0x7f00_0000 : high == 0 && low == 1
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual text: `192.0.2.1`, `2001:db8::1`.
    package var description: String {
        guard !isIPv4 else {
            return (0..<4).map { String(low >> (24 - 8 * UInt64($0)) & 0xff) }
                .joined(separator: ".")
        }
        var address = in6_addr()
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
            guard unsafe inet_ntop(AF_INET6, &address, room.baseAddress, 64) != nil,
                let start = room.baseAddress
            else { return "::" }
            return unsafe String(cString: start)
        }
    }
}

/// A block of addresses: `192.0.2.0/24`, `2001:db8::/32`, or one address.
package struct AddressRange: Hashable, Sendable {
    private let first: IPAddress
    private let prefixBits: Int

    /// Reads the block; `nil` when the text is none.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        first = address
        guard parts.count == 2 else {
            prefixBits = 128
            return
        }
        let width = address.isIPv4 ? 32 : 128
        guard let bits = Int(parts[1]), (0...width).contains(bits) else { return nil }
        prefixBits = bits + 128 - width
    }

    /// Whether the address lies in the block.
    package func contains(_ address: IPAddress) -> Bool {
        // A shift by 64 or more gives 0 in Swift.
        let highMask = ~UInt64(0) << UInt64(max(64 - prefixBits, 0))
        let lowMask = prefixBits <= 64 ? 0 : ~UInt64(0) << UInt64(128 - prefixBits)
        return (first.high ^ address.high) & highMask == 0
            && (first.low ^ address.low) & lowMask == 0
    }
}
