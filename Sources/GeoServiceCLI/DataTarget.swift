import GeoService

/// Where a command finds what it is about: a data directory, or a server by its address.
struct DataTarget {
    private let settings: Settings
    private let url: String?

    /// Reads `--data`, `--url` and `--key-file`.
    ///
    /// - Throws: ``UsageError``, ``SettingError``.
    init(_ flags: Flags) throws {
        guard flags["--url"] == nil || flags["--data"] == nil else {
            throw UsageError(description: "--data and --url exclude one another")
        }
        url = flags["--url"]
        settings = try Settings(flags)
    }

    /// The folder of the page and the world map, when it is set.
    var assets: String? { settings.configuration.assets }

    /// Whether a server is named.
    var isRemote: Bool { url != nil }

    /// The server that is named or holds the directory, else the directory itself.
    ///
    /// - Throws: ``StoreError``, ``SettingError``.
    func holder() throws -> DataHolder {
        if let url {
            return .server(
                try RemoteService(url: url, appID: settings.appID, masterKey: settings.masterKey))
        }
        return try DataHolder(of: settings.dataDirectory, mustExist: true)
    }
}
