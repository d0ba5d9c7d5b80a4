import Testing

@testable import GeoService

@Suite("The health of a router")
struct RouterHealthTests {
    @Test("after three failures in a row it is asked once in two seconds")
    func pauses() {
        var health = RouterHealth()
        /// Whether it is asked at these times, one after another.
        func asked(_ times: UInt64...) -> [Bool] { times.map { health.mayAsk(at: $0) } }
        for _ in 0..<3 {
            #expect(asked(5_000, 5_000) == [true, true])
            health.failed(at: 5_000)
        }
        // One tries after the pause; the others do not wait for it.
        #expect(asked(5_000, 6_999, 7_000, 7_000) == [false, false, true, false])
        health.failed(at: 7_001)
        #expect(asked(9_000, 9_001) == [false, true])
        health.succeeded()
        #expect(health.isWell)
        #expect(asked(9_002, 9_002) == [true, true])
        health.failed(at: 9_002)
        #expect(asked(9_002) == [true], "two more have to fail")
    }
}
