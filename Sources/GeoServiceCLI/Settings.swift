import GeoService

/// The settings that all commands read in the same order: flags, the environment, then the data
/// directory's file.
struct Settings {
    private(set) var configuration: Configuration

    /// Reads flags, the environment and the data directory's file.
    ///
    /// - Throws: ``SettingError``.
    init(_ flags: Flags) throws {
        var configuration = Configuration()
        let environment = Environment.variables
        // The directory decides which file is read, so it comes first.
        if let directory = flags["--data"] ?? environment["GEOSERVICE_DATA"] {
            configuration.dataDirectory = directory
        }
        let directory = configuration.dataDirectory
        try configuration.readFile()
        try configuration.read(environment: environment)
        configuration.dataDirectory = directory
        if let file = flags["--key-file"] { try configuration.readKeys(file: file) }
        self.configuration = configuration
    }

    var dataDirectory: String { configuration.dataDirectory }
    var assets: String? { configuration.assets }
    var appID: String? { configuration.appID }
    var masterKey: String? { configuration.masterKey }
}
