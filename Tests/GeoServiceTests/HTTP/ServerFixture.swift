import Synchronization
import TestSupport

@testable import GeoService

/// A server on a free port of 127.0.0.1, stopped when the value goes.
struct ServerFixture: ~Copyable {
    let server: HTTPServer

    init(
        _ configure: (inout HTTPConfiguration) -> Void = { _ in },
        routes: (inout Router) -> Void = { _ in }
    ) throws {
        var configuration = HTTPConfiguration()
        configuration.listen = "127.0.0.1:0"
        configuration.threads = 2
        // Tests that run beside each other on few cores may stall for seconds.
        configuration.limits.headDeadline = .seconds(60)
        configuration.limits.bodyGrace = .seconds(60)
        configure(&configuration)
        var router = Router()
        router.add(.get, "/hello") { _ in .reply(Response(.ok, .plainText, Array("hello".utf8))) }
        router.add(.post, "/echo") { _ in
            .collect { _, body in .reply(Response(.ok, .bytes, body)) }
        }
        routes(&router)
        server = try HTTPServer(configuration, router: router)
    }

    deinit { server.stop(within: .zero) }

    func client() throws -> RawHTTPClient { try RawHTTPClient(port: server.port) }

    /// The answer to exactly these bytes.
    func answer(to bytes: String) throws -> RawHTTPClient.Answer {
        let client = try client()
        client.send(bytes)
        return try client.answer()
    }
}

/// A value that several threads read and write.
final class Shared<Value: Sendable>: Sendable {
    private let slot: Mutex<Value>

    init(_ value: Value) { slot = Mutex(value) }

    var value: Value { slot.withLock { $0 } }

    func update(_ change: (inout sending Value) -> Void) { slot.withLock { change(&$0) } }
}

/// Waits until the condition holds; false after ten seconds.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<2_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}
