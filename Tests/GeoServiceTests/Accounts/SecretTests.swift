import Foundation
import TestSupport
import Testing

@testable import GeoService

@Suite("Accounts: tokens, passwords and base64")
struct SecretTests {
    @Test("a token is random, has its form, and is found again by its digest")
    func tokens() throws {
        let tokens = (0..<100).map { _ in SecretToken(.session) }
        #expect(Set(tokens.map(\.text)).count == 100)
        for token in tokens {
            #expect(token.text.wholeMatch(of: /r:[0-9a-f]{32}/) != nil)
            let shown = try #require(SecretToken(shown: token.text, .session))
            #expect(shown.digest == token.digest)
            #expect(token.digest.count == 32)
        }
    }

    @Test("the same text is another token for another purpose")
    func purposes() throws {
        let text = SecretToken(.passwordReset).text
        let reset = try #require(SecretToken(shown: text, .passwordReset))
        let email = try #require(SecretToken(shown: text, .emailVerification))
        let session = try #require(SecretToken(shown: "r:" + text, .session))
        #expect(Set([reset.digest, email.digest, session.digest]).count == 3)
    }

    @Test(
        "what cannot be a token is none",
        arguments: ["", "x", "R:00", String(repeating: "r:", count: 40)])
    func noTokens(text: String) {
        #expect(SecretToken(shown: text, .session) == nil)
    }

    @Test("BLAKE2b is the one of RFC 7693")
    func digest() {
        // Made with Python's hashlib.blake2b(b"abc", digest_size=32, key=b"session token\\0\\0\\0").
        let hex = Sodium.digest(Array("abc".utf8), purpose: "session token")
            .map { String(format: "%02x", $0) }.joined()
        #expect(hex == "12996a2cdbcfa37470837f3a3270bda7e1907e0693a61aa487f9ad1ae530af11")
    }

    @Test("a hash is of one password, with a salt of its own")
    func passwords() throws {
        let hasher = try PasswordHasher(memoryBytes: 8 << 20)
        for password in ["p", "päss wörd 🗺", "a\u{0}b", String(repeating: "x", count: 4096)] {
            let hash = try hasher.hash(password)
            #expect(hash.text.hasPrefix("$argon2id$v=19$m=8192,t=2,p=1$"))
            #expect(!hash.text.contains(password) || password == "p")
            #expect(hasher.verify(password, hash))
            #expect(!hasher.verify(password + "x", hash))
            #expect(!hasher.verify("a\u{0}c", hash))
            #expect(try hasher.hash(password) != hash)
        }
    }

    @Test("nobody has a password, not even the empty one")
    func nobody() throws {
        let hasher = try PasswordHasher(memoryBytes: 8 << 20)
        #expect(!hasher.verify("", nil))
        #expect(!hasher.verify("p", nil))
        #expect(!hasher.verify("p", PasswordHash(text: "no hash")))
    }

    @Test("a hash of other parameters is good, and outdated")
    func outdated() throws {
        let small = try PasswordHasher(memoryBytes: 8 << 20)
        let large = try PasswordHasher(memoryBytes: 16 << 20)
        let hash = try small.hash("p")
        #expect(large.verify("p", hash))
        #expect(large.isOutdated(hash) && !small.isOutdated(hash))
    }

    @Test("base64 is Foundation's", arguments: 0..<40)
    func base64(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        let plain = Data(bytes).base64EncodedString()
        let url = plain.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(Base64.decodedURL(url) == bytes)
        #expect(Base64.encodedURL(bytes) == url)
        #expect(Base64.decoded(plain) == bytes)
        let lines = Base64.encodedLines(bytes)
        #expect(lines.replacing("\r\n", with: "") == plain)
        #expect(lines.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 })
    }

    @Test(
        "what is no base64 is refused",
        arguments: ["A", "AB=", "A===", "AB!D", "AB", "A-_=", "AB==CD==", "é"])
    func noBase64(text: String) {
        #expect(Base64.decoded(text) == nil)
        #expect(text == "AB" || Base64.decodedURL(text) == nil)
    }
}
