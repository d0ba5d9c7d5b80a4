/// Paths about classes, settings and the server.
enum AdminPath: Hashable, Sendable {
    case schemas
    case schema(className: String)
    /// All objects of a class, to be deleted.
    case purge(className: String)
    case config
    case serverInfo
    /// Something that happened in an app, to be counted.
    case event(name: String)

    /// Reads the parts of a path; nil when it is about something else.
    init?(_ parts: ArraySlice<String>) {
        let name = parts.last ?? ""
        switch (parts.first, parts.count) {
        case ("schemas", 1): self = .schemas
        case ("schemas", 2): self = .schema(className: name)
        case ("purge", 2): self = .purge(className: name)
        case ("config", 1): self = .config
        case ("serverInfo", 1): self = .serverInfo
        case ("events", 2): self = .event(name: name)
        default: return nil
        }
    }

    /// The path below the mount, without a slash before it.
    var text: String {
        switch self {
        case .schemas: "schemas"
        case .schema(let name): "schemas/\(name)"
        case .purge(let name): "purge/\(name)"
        case .config: "config"
        case .serverInfo: "serverInfo"
        case .event(let name): "events/\(name)"
        }
    }
}
