import Glibc
import Synchronization

/// A listening socket of our own, so that what goes wrong has a name.
final class ListenSocket: Sendable {
    let descriptor: Int32
    private let isClosed = Atomic(false)
    let host: String
    let port: UInt16
    let isLoopback: Bool

    /// `host:port`, with the port that was bound.
    var authority: String { "\(host):\(port)" }

    /// Binds `127.0.0.1:8080`, `[::1]:0`, `localhost:80`, `0.0.0.0:8080`.
    ///
    /// - Throws: ``HTTPServerError``.
    init(_ text: String) throws(HTTPServerError) {
        guard let authority = Authority(text), let port = authority.port else {
            throw .address(text)
        }
        host = authority.host
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = name == "localhost" ? AF_INET : AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, String(port), &hints, &found) == 0,
            let info = unsafe found
        else { throw .address(text) }
        defer { unsafe freeaddrinfo(info) }
        let kind =
            unsafe info.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(SOCK_NONBLOCK.rawValue)
        let made = unsafe socket(info.pointee.ai_family, kind, 0)
        guard made >= 0 else { throw .cannotListen(text, errno: errno) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if unsafe info.pointee.ai_family == AF_INET6 {
            unsafe setsockopt(made, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
        }
        guard unsafe bind(made, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
            listen(made, 4_096) == 0
        else {
            let code = errno
            Glibc.close(made)
            throw .cannotListen(text, errno: code)
        }
        descriptor = made
        var bound = sockaddr_storage()
        (self.port, isLoopback) = unsafe withUnsafeMutablePointer(to: &bound) { bound in
            unsafe bound.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
                guard unsafe getsockname(made, address, &length) == 0 else { return (port, false) }
                // Both families have the port in the same place.
                let bigEndian = unsafe UnsafeRawPointer(address)
                    .loadUnaligned(fromByteOffset: 2, as: UInt16.self)
                let isLoopback = unsafe IPAddress(address)?.isLoopback ?? false
                return (UInt16(bigEndian: bigEndian), isLoopback)
            }
        }
    }

    deinit { close() }

    /// Stops to listen: new connections are refused. The descriptor must not be used any more.
    func close() {
        if !isClosed.exchange(true, ordering: .acquiringAndReleasing) { Glibc.close(descriptor) }
    }
}
