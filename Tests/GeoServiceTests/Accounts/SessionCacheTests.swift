import GeoStore
import TestSupport
import Testing

@testable import GeoService

@Suite("Accounts: sessions that are kept")
struct SessionCacheTests {
    private func session(_ number: Int, of user: Int, roles: Int = 0) -> Session {
        Session(
            id: "s\(number)",
            principals: Principals(user: "u\(user)", roles: (0..<roles).map { "r\($0)" }),
            expiresAt: Timestamp(milliseconds: Int64(number)))
    }

    @Test(
        "what is found is what a dictionary has, and nothing that was taken out", arguments: 0..<48)
    func twin(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cache = SessionCache(limitBytes: seed.isMultiple(of: 2) ? 1 << 20 : 8_000)
        var twin: [UInt8: Session] = [:]
        for step in 0..<800 {
            let token = UInt8.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let new = session(
                    Int(token), of: Int(token % 7), roles: Int.random(in: 0..<20, using: &random))
                cache.keep(new, as: [token])
                twin[token] = new
            case 4:
                cache.remove("s\(token)")
                twin[token] = nil
            case 5 where step.isMultiple(of: 5):
                cache.removeAll(of: "u\(token % 7)")
                twin = twin.filter { $0.key % 7 != token % 7 }
            case 6 where step.isMultiple(of: 50):
                cache.removeAll()
                twin = [:]
            default:
                let found = cache.find([token])
                #expect(found == nil || found == twin[token])
                if seed.isMultiple(of: 2) { #expect(found == twin[token]) }
            }
        }
    }

    @Test("however many there are, few are kept")
    func bounded() {
        var cache = SessionCache(limitBytes: 100_000)
        for number in 0..<5000 {
            cache.keep(session(number, of: number), as: [UInt8(number & 255), UInt8(number >> 8)])
        }
        let kept = (0..<5000).count { number in
            var copy = cache
            return copy.find([UInt8(number & 255), UInt8(number >> 8)]) != nil
        }
        #expect((50...250).contains(kept))
    }
}
