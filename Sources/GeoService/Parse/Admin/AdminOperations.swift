import GeoStore
import JSONText

extension ParseOperation {
    /// Understands a call about classes, settings, the server or installations; nil when it is
    /// about something else, or like any class.
    ///
    /// - Throws: ``ParseRefusal``; what the resource says to its parameters.
    init?(admin request: ParseRequest) throws {
        let caller = request.caller
        let parameters = request.parameters
        switch (request.path, request.method) {
        case (.admin(let path), let method):
            self = try Self.operation(path, method, request)
        case (.objects(AccountNames.installation), .post):
            self = .write(try SaveInstallation(nil, parameters, caller))
        case (.object(AccountNames.installation, let id), .put):
            self = .write(try SaveInstallation(id, parameters, caller))
        default: return nil
        }
    }

    private static func operation(
        _ path: AdminPath, _ method: HTTPMethod, _ request: ParseRequest
    ) throws -> ParseOperation {
        let caller = request.caller
        switch (path, method) {
        case (.event, .post): return .read(KnownAnswer(answer: ParseAnswer([:])))
        case (.config, .get): return .read(FetchConfig(caller: caller))
        case (.event, _):
            throw ParseRefusal.noRoute(method: request.method.name, path: request.path.text)
        default: break
        }
        guard caller.identity.isMaster else { throw ParseRefusal.unauthorized }
        switch (path, method) {
        case (.config, .put): return .write(try ChangeConfig(request.parameters))
        case (.serverInfo, .get): return .read(KnownAnswer(answer: ServerInfo.answer))
        case (.schemas, .get):
            return .read(KnownAnswer(answer: ParseAnswer(SchemaAnswer.list(caller.catalog))))
        case (.schema(let name), .get):
            let schema = try SchemaRules.known(name, in: caller.catalog)
            return .read(KnownAnswer(answer: ParseAnswer(SchemaAnswer.json(schema))))
        case (.schemas, .post): return .write(try CreateSchema(nil, request.parameters))
        case (.schema(let name), .post):
            return .write(try CreateSchema(name, request.parameters))
        case (.schema(let name), .put):
            return .administered(try UpdateSchema(name, request.parameters))
        case (.schema(let name), .delete): return .administered(try DeleteSchema(name))
        case (.purge(let name), .delete): return .administered(try PurgeClass(name))
        default:
            throw ParseRefusal.noRoute(method: request.method.name, path: request.path.text)
        }
    }
}
