import GeoStore
import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Tokens for addresses of the map")
struct MapTokenTests {
    private let clock = TestClock()
    private let digest = [UInt8](repeating: 7, count: Sodium.digestBytes)

    @Test("a token is good for its session, for 15 minutes, in this process")
    func lifetime() throws {
        let tokens = MapTokens(now: { [clock] in clock.now })
        let (text, expires) = tokens.token(forSession: digest)
        #expect(text.utf8.count == 96)
        #expect(expires.milliseconds == clock.now.milliseconds + 900_000)
        #expect(tokens.sessionDigest(of: text) == digest)
        let others = MapTokens(now: { [clock] in clock.now })
        #expect(others.sessionDigest(of: text) == nil)
        clock.advance(milliseconds: 899_999)
        #expect(tokens.sessionDigest(of: text) == digest)
        clock.advance(milliseconds: 1)
        #expect(tokens.sessionDigest(of: text) == nil)
    }

    @Test("no bit of a token can be changed", arguments: 0..<72)
    func sealed(byte: Int) throws {
        let tokens = MapTokens(now: { [clock] in clock.now })
        var bytes = try #require(Base64.decodedURL(tokens.token(forSession: digest).text))
        #expect(bytes.count == 72)
        for bit in 0..<8 {
            bytes[byte] ^= 1 << UInt8(bit)
            #expect(tokens.sessionDigest(of: Base64.encodedURL(bytes)) == nil)
            bytes[byte] ^= 1 << UInt8(bit)
        }
        #expect(tokens.sessionDigest(of: Base64.encodedURL(bytes)) == digest)
    }
}
