import Glibc
import GeoStore

/// Lines for the operator on standard error. Never a query string, a key or a body.
enum Log {
    static func info(_ message: String) { write("info", message) }

    static func warning(_ message: String) { write("warning", message) }

    private static func write(_ level: String, _ message: String) {
        let line = Array("\(Timestamp.now()) \(level) \(message)\n".utf8)
        // One call, so that lines of several threads do not mix.
        _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
