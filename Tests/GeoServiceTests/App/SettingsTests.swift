import Glibc
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

    /// Runs with the path of an empty directory.
    private func inDirectory(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/geoservice-test-XXXXXX".utf8CString)
        let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) } != nil
        }
        try #require(isMade)
        let path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for name in ["keys.json", "keys.json.new"] { unsafe unlink("\(path)/\(name)") }
            unsafe rmdir(path)
        }
        try body(path)
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
