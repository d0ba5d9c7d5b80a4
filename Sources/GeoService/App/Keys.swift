import Glibc
import JSONText

/// The application's keys, and how a request's are compared with them.
package struct Keys: Sendable {
    /// Names the application; not secret.
    package let appID: String
    /// The key of clients; when there is one, they must send it.
    package let restKey: String?
    /// Opens everything.
    package let masterKey: String

    /// Where keys that were made for a data directory stand, with mode 0600.
    private static let fileName = "keys.json"

    /// Takes the configured keys; makes and keeps those that are missing.
    ///
    /// - Throws: ``SettingError`` when the file of kept keys cannot be read or written, or has
    ///   what is no key.
    package init(_ configuration: Configuration, directory: String) throws {
        let path = directory + "/" + Keys.fileName
        var kept = try Keys.read(path)
        var isNew = false
        func take(
            _ name: String, _ configured: String?, make: () -> String
        ) throws(SettingError) -> String {
            if let configured { return configured }
            if let known = kept[name] {
                return try SettingValue.key(
                    "\(name) in \(Keys.fileName)", known.stringValue ?? "")
            }
            let made = make()
            kept[name] = .string(made)
            isNew = true
            return made
        }
        appID = try take("appId", configuration.appID) { "geoservice" }
        restKey = try take("restKey", configuration.restKey) { Keys.randomKey() }
        masterKey = try take("masterKey", configuration.masterKey) { Keys.randomKey() }
        if isNew { try Keys.write(kept, to: path) }
    }

    /// Whether two secrets are the same, in a time that does not tell where they differ.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        var difference = UInt8(left.count == right.count ? 0 : 1)
        for index in left.indices {
            difference |= left[index] ^ (right.isEmpty ? 1 : right[index % right.count])
        }
        return difference == 0
    }

    /// 32 hexadecimal digits from the system's random source.
    static func randomKey() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: (0..<32).map { _ in digits[Int(random.next(upperBound: UInt64(16)))] },
            as: UTF8.self)
    }

    private static func read(_ path: String) throws -> JSONObject {
        guard let bytes = try SmallFile.read(path, limitBytes: 64 << 10) else { return [:] }
        guard let value = try? JSONParser.parse(bytes), let object = value.objectValue else {
            throw SettingError(fileName, "in the data directory is not a JSON object")
        }
        return object
    }

    private static func write(_ object: JSONObject, to path: String) throws {
        try SmallFile.write(JSONWriter.encode(.object(object)), to: path)
    }
}

/// Reads and writes the few small files that the service keeps beside its store.
enum SmallFile {
    /// The bytes of a file; nil when there is none.
    ///
    /// - Throws: ``SettingError`` when it cannot be read or is too large.
    static func read(_ path: String, limitBytes: Int) throws(SettingError) -> [UInt8]? {
        let name = String(path.split(separator: "/").last ?? "file")
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SettingError(name, "cannot be read")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw SettingError(name, "cannot be read") }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limitBytes else {
                throw SettingError(name, "is larger than \(limitBytes) bytes")
            }
        }
    }

    /// Writes a file with mode 0600, whole or not at all.
    ///
    /// - Throws: ``SettingError`` when it cannot be written.
    static func write(_ bytes: [UInt8], to path: String) throws(SettingError) {
        let name = String(path.split(separator: "/").last ?? "file")
        let temporary = path + ".new"
        // A file that is there already has another mode, or another owner who has it open.
        unsafe unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(temporary, flags, 0o600)
        guard descriptor >= 0 else { throw SettingError(name, "cannot be written") }
        var written = 0
        while written < bytes.count {
            let rest = Array(bytes[written...])
            let count = unsafe Glibc.write(descriptor, rest, rest.count)
            guard count > 0 else { break }
            written += count
        }
        let isSafe = written == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isSafe, unsafe rename(temporary, path) == 0 else {
            unsafe unlink(temporary)
            throw SettingError(name, "cannot be written")
        }
    }
}
