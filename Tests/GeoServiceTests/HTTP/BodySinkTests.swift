import Synchronization
import TestSupport
import Testing
import TileRender

@testable import GeoService

@Suite("Bodies that are passed on as they come")
struct BodySinkTests {
    /// Counts and checks bytes, and is busy on every call until it is released or an allowance is left.
    final class Meter: BodySink {
        struct State {
            var allowance: Int
            var count = 0
            var crc: UInt32 = 0
            var largest = 0
            var busy = 0
            var flow: BodyFlow?
            var isAbandoned = false
            var isFinished = false
        }
        let state: Mutex<State>
        let failsAfter: Int

        init(allowance: Int = .max, failsAfter: Int = .max) {
            state = Mutex(State(allowance: allowance))
            self.failsAfter = failsAfter
        }

        func receive(_ bytes: Span<UInt8>, flow: BodyFlow) throws -> BodyVerdict {
            let count = bytes.count
            let before = try state.withLock { state -> UInt32? in
                guard state.count < failsAfter else { throw Problem(.conflict, "enough") }
                guard state.allowance > 0 else {
                    state.busy += 1
                    state.flow = flow
                    return nil
                }
                return state.crc
            }
            guard let before else { return .busy }
            let crc = Deflater.crc32(bytes, continuing: before)
            state.withLock { state in
                state.allowance -= 1
                state.count += count
                state.crc = crc
                state.largest = max(state.largest, count)
            }
            return .taken
        }

        func finish(_ request: Request) -> Action {
            let (count, crc) = state.withLock { state in
                state.isFinished = true
                return (state.count, state.crc)
            }
            return .reply(Response(.ok, .plainText, Array("\(count) \(crc)".utf8)))
        }

        func abandon() { state.withLock { $0.isAbandoned = true } }

        func allow(_ pieces: Int) {
            let flow = state.withLock { state in
                state.allowance = pieces
                defer { state.flow = nil }
                return state.flow
            }
            flow?.resume()
        }
    }

    /// Promises an answer for later, in the moment in which the server stops.
    final class Promise: BodySink {
        let stop: Shared<(@Sendable () -> Void)?>
        let isAbandoned = Shared(false)
        let isCalled = Shared(false)

        init(stop: Shared<(@Sendable () -> Void)?>) { self.stop = stop }
        func receive(_ bytes: Span<UInt8>, flow: BodyFlow) -> BodyVerdict { .taken }
        func abandon() { isAbandoned.update { $0 = true } }
        func finish(_ request: Request) -> Action {
            stop.value?()
            return .later { _ in self.isCalled.update { $0 = true } }
        }
    }

    @Test("a sink whose later answer cannot be awaited any more is told", arguments: [0, 5])
    func abandonedPromise(length: Int) async throws {
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        let promise = Promise(stop: stop)
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.post, "/upload") { _ in .consume(promise) }
        }
        let gate = fixture.server.core.gate
        stop.update { $0 = { gate.close() } }
        let client = try fixture.client()
        client.send(
            Self.head + "Content-Length: \(length)\r\n\r\n"
                + String(repeating: "a", count: length))
        #expect(try client.answer().status == 503)
        #expect(promise.isAbandoned.value)
        #expect(!promise.isCalled.value)
    }

    private func fixture(_ meter: Meter) throws -> ServerFixture {
        try ServerFixture { _ in
        } routes: { router in
            router.add(.post, "/upload") { _ in .consume(meter) }
        }
    }

    private static let head = "POST /upload HTTP/1.1\r\nHost: localhost\r\n"

    @Test("10 MB arrive whole, in small pieces", arguments: [false, true])
    func upload(isChunked: Bool) throws {
        let meter = Meter()
        let fixture = try fixture(meter)
        let piece = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        var body: [UInt8] = []
        for _ in 0..<100 { body += piece }
        let client = try fixture.client()
        if isChunked {
            client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            for start in stride(from: 0, to: body.count, by: 100_000) {
                client.send(String(100_000, radix: 16) + "\r\n")
                client.send(Array(body[start..<(start + 100_000)]))
                client.send("\r\n")
            }
            client.send("0\r\n\r\n")
        } else {
            client.send(Self.head + "Content-Length: \(body.count)\r\n\r\n")
            client.send(body)
        }
        #expect(try client.answer().text == "10000000 \(Deflater.crc32(body.span))")
        #expect(meter.state.withLock { $0.largest } < 100_000)
        #expect(meter.state.withLock { !$0.isAbandoned })
        if isChunked {
            #expect(try client.isClosed())
        } else {
            client.get("/hello")
            #expect(try client.answer().text == "hello")
        }
    }

    @Test("an upload without a body finishes too")
    func empty() throws {
        let fixture = try fixture(Meter())
        let client = try fixture.client()
        client.send(Self.head + "Content-Length: 0\r\n\r\n")
        #expect(try client.answer().text == "0 0")
        client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        #expect(try client.answer().text == "0 0")
    }

    @Test("a sink that is busy holds its client back, and loses nothing when it goes on")
    func backPressure() async throws {
        let meter = Meter(allowance: 3)
        let fixture = try fixture(meter)
        let body = [UInt8](repeating: 1, count: 30_000_000)
        let sending = Shared(0)
        let port = fixture.server.port
        let answer = Shared("")
        let isStarted = SystemThread.start {
            guard let client = try? RawHTTPClient(port: port) else { return }
            client.send(Self.head + "Content-Length: \(body.count)\r\n\r\n")
            for start in stride(from: 0, to: body.count, by: 100_000) {
                client.send(Array(body[start..<(start + 100_000)]))
                sending.update { $0 += 100_000 }
            }
            let text = (try? client.answer())?.text ?? "none"
            answer.update { $0 = text }
        }
        #expect(isStarted)
        #expect(await eventually { meter.state.withLock { $0.busy == 1 } })
        var last = -1
        while last != sending.value {
            last = sending.value
            try await Task.sleep(for: .milliseconds(100))
        }
        // What the kernel's buffers hold, far less than the whole.
        #expect(sending.value < 20_000_000)
        #expect(meter.state.withLock { $0.busy } == 1)
        meter.allow(5)
        #expect(await eventually { meter.state.withLock { $0.busy == 2 } })
        meter.allow(.max)
        #expect(await eventually { !answer.value.isEmpty })
        #expect(answer.value == "30000000 \(Deflater.crc32(body.span))")
    }

    @Test("a wake that comes before the sink has slept is not lost", arguments: 0..<8)
    func earlyWake(_ round: Int) throws {
        /// Busy on every other offer; wakes itself before it says so, or from another thread.
        final class Hasty: BodySink {
            let state = Mutex((offers: 0, count: 0))
            func receive(_ bytes: Span<UInt8>, flow: BodyFlow) -> BodyVerdict {
                let count = bytes.count
                let isBusy = state.withLock { state in
                    state.offers += 1
                    if state.offers % 2 == 1 { return true }
                    state.count += count
                    return false
                }
                guard isBusy else { return .taken }
                if count % 2 == 0 || !SystemThread.start({ flow.resume() }) { flow.resume() }
                return .busy
            }
            func finish(_ request: Request) -> Action {
                .reply(
                    Response(.ok, .plainText, Array("\(state.withLock { $0.count })".utf8)))
            }
            func abandon() {}
        }
        let fixture = try ServerFixture { _ in
        } routes: { router in
            router.add(.post, "/upload") { _ in .consume(Hasty()) }
        }
        let client = try fixture.client()
        let size = 1_000_001 + round
        client.send(Self.head + "Content-Length: \(size)\r\n\r\n")
        client.send([UInt8](repeating: 2, count: size))
        #expect(try client.answer().text == "\(size)")
    }

    @Test("a sink that throws refuses the rest, and the client reads why")
    func failing() throws {
        let meter = Meter(failsAfter: 1)
        let fixture = try fixture(meter)
        let client = try fixture.client()
        client.send(Self.head + "Content-Length: 8000000\r\n\r\n")
        client.send([UInt8](repeating: 0, count: 8_000_000))
        let answer = try client.answer()
        #expect(answer.status == 409)
        #expect(answer["content-type"] == "application/problem+json")
        #expect(try client.isClosed())
        #expect(meter.state.withLock { $0.isAbandoned && !$0.isFinished })
    }

    @Test("a client that goes leaves an abandoned sink, not a finished one")
    func gone() async throws {
        let meter = Meter()
        let fixture = try fixture(meter)
        do {
            let client = try fixture.client()
            client.send(Self.head + "Content-Length: 1000\r\n\r\nabc")
            #expect(await eventually { meter.state.withLock { $0.count == 3 } })
        }
        #expect(await eventually { meter.state.withLock { $0.isAbandoned } })
        #expect(meter.state.withLock { !$0.isFinished })
    }

    @Test("a chunk that is no number is 400")
    func brokenChunk() throws {
        let meter = Meter()
        let fixture = try fixture(meter)
        let answer = try fixture.answer(
            to: Self.head + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n")
        #expect(answer.status == 400)
        #expect(meter.state.withLock { !$0.isFinished })
    }
}
