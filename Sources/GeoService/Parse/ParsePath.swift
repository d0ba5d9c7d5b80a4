/// What a path below the mount names.
enum ParsePath: Hashable, Sendable {
    case health
    case batch
    /// All objects of a class.
    case objects(className: String)
    /// One object.
    case object(className: String, objectId: String)
    /// What all objects of a class have together.
    case aggregate(className: String)
    /// What is about accounts and no class.
    case account(AccountPath)
    /// What is about classes, settings and the server.
    case admin(AdminPath)

    /// Where everything below is mounted.
    static let mount = "/parse"

    /// Reads a decoded path below the mount, beginning with `/`; nil when nothing has it.
    init?(_ path: Substring) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2, parts[0].isEmpty, !parts.dropFirst().contains("") else {
            return nil
        }
        switch (parts[1], parts.count) {
        case ("health", 2): self = .health
        case ("batch", 2): self = .batch
        case ("classes", 3): self = .objects(className: parts[2])
        case ("classes", 4): self = .object(className: parts[2], objectId: parts[3])
        case ("aggregate", 3): self = .aggregate(className: parts[2])
        default:
            if let path = AdminPath(parts.dropFirst()) {
                self = .admin(path)
            } else {
                self.init(account: parts.dropFirst())
            }
        }
    }

    /// The path below the mount, for messages.
    var text: String {
        switch self {
        case .health: "/health"
        case .batch: "/batch"
        case .objects(let name): "/classes/\(name)"
        case .object(let name, let id): "/classes/\(name)/\(id)"
        case .aggregate(let name): "/aggregate/\(name)"
        case .account(let path): "/\(path.rawValue)"
        case .admin(let path): "/\(path.text)"
        }
    }
}
