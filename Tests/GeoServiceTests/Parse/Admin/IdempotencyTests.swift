import GeoStore
import JSONText
import Testing

@testable import GeoService

@Suite("Requests that are done once")
struct IdempotencyTests {
    private static let path = "/classes/Order"

    private static func service(_ clock: TestClock) throws -> TestService {
        try TestService(clock: clock) { configuration in
            configuration.idempotentPaths = [TextPattern("/classes/Order")].compactMap(\.self)
        }
    }

    private static func post(_ service: TestService, _ id: String) throws -> Int64? {
        let reply = try service.call(
            "POST", path, ["n": 1], fields: ["X-Parse-Request-Id: \(id)"])
        return reply.status == 201 ? nil : reply.code
    }

    private static func kept(_ service: TestService) throws -> [String] {
        // Behind what was submitted after the last answer.
        try service.core.store.write { transaction in
            try transaction.objectIds(of: Idempotency.className)
        }
    }

    @Test("an id counts for 300 seconds and is removed then")
    func lifetime() throws {
        let clock = TestClock()
        let service = try Self.service(clock)
        #expect(try Self.post(service, "a") == nil)
        clock.advance(milliseconds: Idempotency.lifetimeSeconds * 1_000 - 1)
        #expect(try Self.post(service, "a") == 159)
        #expect(try Self.post(service, "b") == nil)
        #expect(try Self.kept(service).count == 2)
        clock.advance(milliseconds: 1)
        #expect(try Self.post(service, "b") == 159)
        #expect(try Self.post(service, "a") == nil, "it is over")
        #expect(try Self.post(service, "a") == 159)
        clock.advance(milliseconds: Idempotency.lifetimeSeconds * 1_000)
        #expect(try Self.post(service, "c") == nil)
        #expect(try Self.kept(service).count == 1, "what is over went with the next write")
        #expect(try Self.post(service, "b") == nil)
    }

    @Test("a failed write leaves no id behind")
    func failure() throws {
        let service = try Self.service(TestClock())
        let reply = try service.call(
            "POST", Self.path, ["a.b": 1], fields: ["X-Parse-Request-Id: a"])
        #expect(reply.status == 400)
        #expect(try Self.kept(service).isEmpty)
        #expect(try Self.post(service, "a") == nil)
    }

    @Test("the ids are in the order of time, so that the oldest go first")
    func order() throws {
        let clock = TestClock()
        let service = try Self.service(clock)
        for number in 0..<20 {
            #expect(try Self.post(service, "r\(number)") == nil)
            clock.advance(milliseconds: 1)
        }
        let ids = try Self.kept(service)
        let requests = try service.core.store.read { reader in
            try ids.map { try reader.object(Idempotency.className, $0)?.fields["reqId"] }
        }
        #expect(requests == (0..<20).map { .string("r\($0)") })
    }
}
