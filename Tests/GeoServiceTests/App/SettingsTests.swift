import Glibc
import TestSupport
import Testing

@testable import GeoService

@Suite("Settings, keys and small files")
struct SettingsTests {
    @Test(
        "origins are taken in the form in which browsers send them",
        arguments: [
            ("*", CORSPolicy.any), ("https://a.example", .origins(["https://a.example"])),
            (
                " https://A.example:8443 , http://[::1]:80,capacitor://localhost ",
                .origins(["https://a.example:8443", "http://[::1]:80", "capacitor://localhost"])
            ),
        ])
    func origins(text: String, expected: CORSPolicy) throws {
        var configuration = Configuration()
        try configuration.set("GEOSERVICE_CORS_ORIGINS", text)
        #expect(configuration.cors == expected)
    }

    @Test(
        "what is no origin is refused",
        arguments: [
            "", " ", ",", "https://a.example,", "a.example", "https://", "https://a.example/",
            "https://a.example/path", "https://a b", "https://*.example", "https://a.example:99999",
            "https://u@a.example", "://a", "1a://b", "null", "https://a.example,*",
            "https://a.example?x", "https://a\r\nX: y",
        ])
    func noOrigins(text: String) {
        var configuration = Configuration()
        #expect(throws: SettingError.self) {
            try configuration.set("GEOSERVICE_CORS_ORIGINS", text)
        }
        #expect(configuration.cors == .any)
    }

    @Test(
        "spaces around the items of a list do not count",
        arguments: [
            "GEOSERVICE_TRUSTED_PROXIES", "GEOSERVICE_MASTER_KEY_IPS",
            "GEOSERVICE_CORS_ORIGINS", "GEOSERVICE_IDEMPOTENT_PATHS",
            "GEOSERVICE_APPLE_CLIENT_IDS", "GEOSERVICE_AUTH_PROVIDERS",
        ])
    func spaces(name: String) throws {
        let items = [
            "GEOSERVICE_CORS_ORIGINS": ["https://a.example", "https://b.example"],
            "GEOSERVICE_IDEMPOTENT_PATHS": ["classes/A", "classes/B"],
            "GEOSERVICE_APPLE_CLIENT_IDS": ["org.a", "org.b"],
            "GEOSERVICE_AUTH_PROVIDERS": ["anonymous", "spotify"],
        ][name, default: ["10.0.0.0/8", "::1"]]
        var plain = Configuration()
        try plain.set(name, items.joined(separator: ","))
        var spaced = Configuration()
        try spaced.set(name, " " + items.joined(separator: " , ") + " ")
        #expect("\(plain)" == "\(spaced)")
        #expect("\(plain)" != "\(Configuration())")
    }

    @Test("a file of keys may end its lines in any way", arguments: ["\n", "\r\n", "\r"])
    func keyFile(end: String) throws {
        try inDirectory { directory in
            let path = directory + "/keys.json"
            let lines = ["# keys", "", "GEOSERVICE_REST_KEY=rest", "GEOSERVICE_MASTER_KEY=a=b"]
            try SmallFile.write(Array(lines.map { $0 + end }.joined().utf8), to: path)
            var configuration = Configuration()
            try configuration.readKeys(file: path)
            #expect(configuration.restKey == "rest")
            #expect(configuration.masterKey == "a=b")
        }
    }

    /// Runs with the path of an empty directory.
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = try ScratchDirectory()
        try withExtendedLifetime(directory) { try body(directory.path) }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test(
        "a kept key that is none is refused, never equal to no key",
        arguments: [#""""#, "null", "7", #""a b""#, #""\u0000""#, "[]"])
    func keptKeys(value: String) throws {
        try inDirectory { directory in
            for name in ["masterKey", "restKey", "appId"] {
                try SmallFile.write(
                    Array("{\"\(name)\": \(value)}".utf8), to: directory + "/keys.json")
                #expect(throws: SettingError.self, "\(name)") {
                    try Keys(Configuration(), directory: directory)
                }
            }
        }
    }

    @Test("keys are made once and kept, readable by their owner alone")
    func madeKeys() throws {
        try inDirectory { directory in
            // What another run, or another user, left there.
            let left = unsafe open(directory + "/keys.json.new", O_WRONLY | O_CREAT, 0o666)
            try #require(left >= 0)
            unsafe chmod(directory + "/keys.json.new", 0o666)
            let first = try Keys(Configuration(), directory: directory)
            #expect(mode(directory + "/keys.json") == 0o600)
            var status = stat()
            #expect(unsafe fstat(left, &status) == 0 && status.st_size == 0)
            close(left)
            let second = try Keys(Configuration(), directory: directory)
            #expect(first.masterKey == second.masterKey && first.restKey == second.restKey)
            #expect(first.masterKey.utf8.count == 32)
        }
    }
}
