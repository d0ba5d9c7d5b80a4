import Glibc
import JSONText

/// The note that a server leaves in its data directory for this machine's commands: its address,
/// and a key for as long as it runs. The file `server.json` has mode 0600.
package struct ServerNote: Sendable {
    /// The server's address, such as `http://127.0.0.1:8080`.
    package let url: String
    /// The application's id.
    package let appID: String
    /// The key, as good as the master key for requests of this machine.
    package let key: String

    private static let fileName = "/server.json"

    init(url: String, appID: String, key: String) {
        self.url = ServerNote.reachable(url)
        self.appID = appID
        self.key = key
    }

    /// Reads the note of a directory; nil when there is none.
    ///
    /// - Throws: ``SettingError`` when it cannot be read.
    package init?(inDirectory directory: String) throws(SettingError) {
        guard
            let bytes = try SmallFile.read(directory + ServerNote.fileName, limitBytes: 64 << 10)
        else { return nil }
        guard let value = try? JSONParser.parse(bytes), let url = value["url"]?.stringValue,
            let appID = value["appId"]?.stringValue, let key = value["key"]?.stringValue
        else { throw SettingError("server.json", "in the data directory is not a server's note") }
        self.url = url
        self.appID = appID
        self.key = key
    }

    /// Leaves the note in a directory.
    func write(inDirectory directory: String) throws(SettingError) {
        let json: JSONValue = [
            "url": .string(url), "appId": .string(appID), "key": .string(key),
        ]
        try SmallFile.write(JSONWriter.encode(json), to: directory + ServerNote.fileName)
    }

    /// Takes the note away again.
    static func remove(fromDirectory directory: String) {
        // Without the server's lock nobody looks at a note that stayed.
        unsafe unlink(directory + fileName)
    }

    /// A server that listens everywhere is reached on this machine's loopback.
    private static func reachable(_ url: String) -> String {
        url.replacing("//0.0.0.0:", with: "//127.0.0.1:").replacing("//[::]:", with: "//[::1]:")
    }
}
