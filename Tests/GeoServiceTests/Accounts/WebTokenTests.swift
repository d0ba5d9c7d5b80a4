import JSONText
import TestSupport
import Testing

@testable import GeoService

@Suite("Accounts: signed tokens")
struct WebTokenTests {
    /// RFC 7515, appendix A.2.
    private static let modulus =
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0"
        + "Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXnd"
        + "S5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5Ihl"
        + "JH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    private static let signed =
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
        + "LmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let signature =
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2"
        + "Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSj"
        + "tQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh"
        + "6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

    private func key() throws -> RSAPublicKey {
        let modulus = try #require(Base64.decodedURL(Self.modulus))
        return try #require(RSAPublicKey(modulus: modulus, exponent: [1, 0, 1]))
    }

    @Test("the signature of RFC 7515 is right, and one bit more or less is not")
    func signature() throws {
        let key = try key()
        let signature = try #require(Base64.decodedURL(Self.signature))
        let message = Array(Self.signed.utf8)
        #expect(key.hasSigned(message, signature))
        for place in stride(from: 0, to: signature.count, by: 17) {
            var other = signature
            other[place] ^= 1
            #expect(!key.hasSigned(message, other))
        }
        var other = message
        other[5] ^= 1
        #expect(!key.hasSigned(other, signature))
        #expect(!key.hasSigned(message, []))
        #expect(!key.hasSigned(message, signature + [0]))
    }

    @Test("numbers that make no key, or a weak one, are refused")
    func keys() {
        #expect(RSAPublicKey(modulus: [], exponent: [3]) == nil)
        #expect(RSAPublicKey(modulus: [UInt8](repeating: 255, count: 128), exponent: [3]) == nil)
        #expect(RSAPublicKey(modulus: [UInt8](repeating: 255, count: 5000), exponent: [3]) == nil)
        #expect(RSAPublicKey(modulus: [UInt8](repeating: 255, count: 256), exponent: []) == nil)
    }

    @Test(
        "no damage to a token ends the process or makes a token of another algorithm",
        arguments: 0..<200)
    func damage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(
            "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.eyJpc3MiOiJhIiwic3ViIjoiYiJ9.AAAA".utf8)
        #expect(WebToken(String(decoding: bytes, as: UTF8.self))?.keyID == "k")
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0x20...0x7e, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0x20...0x7e, using: &random), at: place)
            }
        }
        let token = WebToken(String(decoding: bytes, as: UTF8.self))
        let expectation = WebToken.Expectation(
            issuers: ["a"], audiences: ["c"], subject: "b", now: 0)
        #expect(token?.meets(expectation) != true)
    }

    @Test("too long a token is none")
    func tooLong() {
        let part = String(repeating: "A", count: WebToken.greatestBytes)
        #expect(WebToken("\(part).AA.AA") == nil)
    }
}
