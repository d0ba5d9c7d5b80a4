import CMicroHTTPD
import CProcessor
import Glibc
import Synchronization

/// Why a server could not be started.
package enum HTTPServerError: Error, Equatable, Sendable {
    /// The listen setting is not `HOST:PORT`.
    case address(String)
    /// The address cannot be listened on; the system's error number.
    case cannotListen(String, errno: Int32)
    /// The system gave no threads or no memory.
    case noResources
}

extension HTTPServerError: CustomStringConvertible {
    /// A sentence that says what would be right.
    package var description: String {
        switch self {
        case .address(let text):
            "cannot listen on \(text): it is not an address and port, such as 127.0.0.1:8080"
        case .cannotListen(let text, let code):
            "cannot listen on \(text): \(unsafe String(cString: strerror(code)))"
        case .noResources: "the system gave no threads or no memory for the server"
        }
    }
}

/// An HTTP/1.1 server: listens from its creation until it is stopped.
///
///     let server = try HTTPServer(configuration, router: router)
///     print("listening on \(server.url)")
///     …
///     server.stop(within: .seconds(10))
@safe package final class HTTPServer: Sendable {
    let core: ServerCore
    private let listener: ListenSocket
    private let acceptor: Acceptor
    private let daemon: Mutex<Daemon?>

    /// The library's handle. It may be used from any thread, but stopped only once: the lock sees
    /// to that.
    @safe private struct Daemon: @unchecked Sendable { let handle: OpaquePointer }

    /// The address that clients reach, with the port that was bound: `http://127.0.0.1:8080`.
    package var url: String { "http://\(listener.authority)" }

    /// The bound port.
    package var port: UInt16 { listener.port }

    /// The open connections.
    package var connectionCount: Int { acceptor.count }

    /// Starts to listen.
    ///
    /// - Throws: ``HTTPServerError``.
    package init(_ configuration: HTTPConfiguration, router: Router) throws(HTTPServerError) {
        listener = try ListenSocket(configuration.listen)
        let facts = ServerFacts(
            configuration, listensOnLoopback: listener.isLoopback,
            ownAddress: IPAddress(listener.host))
        let limits = configuration.limits
        guard let acceptor = Acceptor(listener: listener, limit: limits.connections),
            let core = ServerCore(facts: facts, router: router, acceptor: acceptor)
        else { throw .noResources }
        self.acceptor = acceptor
        self.core = core
        let threads = configuration.threads > 0 ? configuration.threads : geo_usable_processors()
        let started = unsafe mhd_start(
            UInt32(clamping: threads),
            // The acceptor keeps the limit. The library divides its own by the threads, and would
            // refuse a connection that comes while another is still being cleared away.
            UInt32(clamping: limits.connections &* 2 &+ 1_024),
            limits.connectionMemoryBytes, Unmanaged.passUnretained(core).toOpaque(),
            LibraryCallbacks.access, LibraryCallbacks.target, LibraryCallbacks.unescape,
            LibraryCallbacks.completed, LibraryCallbacks.connection)
        guard let handle = unsafe started else {
            core.housekeeper.stop()
            throw .noResources
        }
        let daemon = unsafe Daemon(handle: handle)
        self.daemon = Mutex(daemon)
        let isAccepting = unsafe acceptor.start { descriptor, address, length in
            unsafe MHD_add_connection(daemon.handle, descriptor, address, length) == .YES
        }
        guard isAccepting else { throw .noResources }
    }

    deinit { stop(within: .zero) }

    /// Stops: takes no more connections, lets requests under way finish, closes what is idle.
    ///
    /// Answers given meanwhile carry `Connection: close`, and ``Request/isDraining`` is true. What
    /// has not finished by the deadline is cut: deferred requests are answered 503, the rest ends.
    /// Blocks until all is closed. A second call does nothing.
    package func stop(within deadline: Duration) {
        let taken = daemon.withLock { daemon in
            let taken = daemon
            daemon = nil
            return taken
        }
        guard let taken else { return }
        core.facts.startDraining()
        acceptor.stop()
        waitForZero(until: MonotonicClock.milliseconds &+ deadline.wholeMilliseconds)
        // Nothing may be suspended when the library stops: it would abort the process.
        core.gate.close()
        waitForZero(until: MonotonicClock.milliseconds &+ 250)
        unsafe MHD_stop_daemon(taken.handle)
        core.housekeeper.stop()
    }

    /// Looks at the connections again and again, since one may fall idle between two requests
    /// without anybody being told: it is closed here.
    private func waitForZero(until deadline: UInt64) {
        while acceptor.count > 0, MonotonicClock.milliseconds < deadline {
            core.table.endIdle()
            usleep(5_000)
        }
    }
}

/// The functions that the library calls. Their context is the core, which the server keeps until
/// the library is stopped.
enum LibraryCallbacks {
    /// The request line is there. Its target is copied before the library changes it.
    ///
    /// The library would now index every parameter of the query, in memory that thousands of them
    /// exhaust; it then neither answers nor closes. So the query is ended, in the library's own
    /// buffer, before its first byte: the library writes a NUL at the `?` before it as well.
    static let target:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?)
            -> UnsafeMutableRawPointer? = { context, target, connection in
                guard let context = unsafe context, let connection = unsafe connection,
                    let link = unsafe mhd_connection_context(connection)
                else { return nil }
                var bytes: [UInt8] = []
                if let target = unsafe target {
                    unsafe bytes.append(
                        contentsOf: UnsafeRawBufferPointer(start: target, count: strlen(target)))
                    if let mark = bytes.firstIndex(of: 0x3f) {
                        unsafe UnsafeMutablePointer(mutating: target)[mark + 1] = 0
                    }
                }
                let exchange = unsafe Exchange(
                    core: Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue(),
                    link: Unmanaged<Connection>.fromOpaque(link).takeUnretainedValue(),
                    handle: connection, target: bytes)
                return unsafe Unmanaged.passRetained(exchange).toOpaque()
            }

    /// The library's own decoding is not wanted: what it gives is looked at as bytes only.
    static let unescape:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?)
            -> Int = { _, _, text in
                guard let text = unsafe text else { return 0 }
                return unsafe strlen(text)
            }

    static let access: MHD_AccessHandlerCallback = {
        _, _, _, method, version, data, size, exchange in
        guard let exchange = unsafe exchange?.pointee, let method = unsafe method,
            let version = unsafe version, let size = unsafe size
        else { return .NO }
        return unsafe Unmanaged<Exchange>.fromOpaque(exchange)._withUnsafeGuaranteedRef {
            unsafe $0.proceed(method: method, version: version, data: data, size: size)
        }
    }

    static let completed: MHD_RequestCompletedCallback = { _, _, slot, reason in
        guard let slot = unsafe slot, let exchange = unsafe slot.pointee else { return }
        unsafe slot.pointee = nil
        let owned = unsafe Unmanaged<Exchange>.fromOpaque(exchange).takeRetainedValue()
        owned.completed(isComplete: reason == .REQUEST_TERMINATED_COMPLETED_OK)
    }

    static let connection: MHD_NotifyConnectionCallback = { context, connection, slot, event in
        guard let context = unsafe context, let connection = unsafe connection,
            let slot = unsafe slot
        else { return }
        let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        if event == .CONNECTION_NOTIFY_STARTED {
            let peer = unsafe mhd_peer(connection).flatMap { unsafe IPAddress($0) } ?? .loopback
            let link = unsafe core.open(mhd_descriptor(connection), peer: peer)
            unsafe slot.pointee = Unmanaged.passRetained(link).toOpaque()
        } else if let link = unsafe slot.pointee {
            unsafe slot.pointee = nil
            core.close(unsafe Unmanaged<Connection>.fromOpaque(link).takeRetainedValue())
        }
    }
}

extension ServerCore {
    /// A client has connected.
    func open(_ descriptor: Int32, peer: IPAddress) -> Connection {
        let limits = facts.configuration.limits
        let isCounted = !facts.isTrusted(peer) && (limits.countsLoopback || !peer.isLoopback)
        let connection = Connection(
            descriptor: descriptor, peer: peer,
            isTurnedAway: isCounted && table.count(of: peer) >= limits.connectionsPerAddress,
            limits: limits)
        table.add(connection)
        return connection
    }

    /// The library is about to close the descriptor.
    func close(_ connection: Connection) {
        table.remove(connection)
        acceptor.release()
        if connection.isRefused || connection.hasUnread {
            housekeeper.linger(connection.descriptor)
        }
    }
}
