import JSONText

/// Parse's files: sent to `/parse/files/{name}`, read at `/parse/files/{appId}/{name}`.
struct FileRoutes: Sendable {
    private let gate: ParseGate
    private let accounts: Accounts
    private let pool: WorkPool
    private let folder: FileFolder
    private let records: FileRecords
    private let intake: FileIntake
    private let thumbnails: Thumbnails
    /// Whether clients without a user may send files; nil is: in loopback mode only.
    private let publicUploads: Bool?

    init(_ core: ServiceCore) {
        gate = ParseGate(access: core.access)
        accounts = core.accounts
        pool = core.filePool
        folder = core.files
        records = FileRecords(store: core.store)
        let works = PictureWorks(pool: core.picturePool)
        intake = FileIntake(folder: core.files, records: records, works: works)
        thumbnails = Thumbnails(folder: core.files, works: works)
        publicUploads = core.configuration.publicUploads
    }

    func register(in router: inout Router) {
        router.add(.post, "/parse/files/{name}") { request in
            answering { try upload(request) }
        }
        router.add(.post, "/parse/files/{appId}/{name}") { request in
            answering {
                // A name that is a path. What it says is refused as any other wrong name.
                try FileName.check(given: String(request.pathText.dropFirst(13)))
                throw ParseRefusal.noRoute(method: "POST", path: "/files")
            }
        }
        router.add(.delete, "/parse/files/{name}") { request in
            answering { try delete(request) }
        }
        router.add(.get, "/parse/files/{appId}/{name}") { request in
            answering { try fetch(request) }
        }
        for template in ["/parse/files/{name}", "/parse/files/{appId}/{name}"] {
            router.add(.options, template) { _ in .reply(ParsePreflight.response) }
        }
    }

    private func answering(_ decide: () throws -> Action) -> Action {
        do {
            return try decide()
        } catch {
            return .reply(ParseErrors.response(to: error))
        }
    }

    /// Runs on the pool, and answers there or later.
    private func later(_ work: @escaping @Sendable (Responder) throws -> Void) -> Action {
        .later { responder in
            let isTaken = pool.submit {
                do { try work(responder) } catch { responder.fail(error) }
            }
            if !isTaken { responder.fail(PictureWorks.isFull) }
        }
    }

    // MARK: - In

    private func upload(_ request: Request) throws -> Action {
        let credentials = ParseCredentials(request)
        guard gate.knows(credentials.applicationID) else {
            return .collect(limitBytes: FileForm.limitBytes) { request, body in
                later { try carryOut(try FileForm(body), request, $0) }
            }
        }
        let sender = try sender(credentials, request)
        let order = try order(request, claimedType: request.contentType)
        if let announced = request.header("content-length").flatMap({ Int($0) }),
            announced > FileIntake.limitBytes
        {
            throw Problem.tooLarge(FileIntake.limitBytes)
        }
        return .consume(
            ReceivedFile(into: folder, limitBytes: FileIntake.limitBytes, pool: pool) {
                file, responder in
                keep(file, order, of: sender, request, responder)
            })
    }

    /// Does what a JavaScript client has put into one object.
    private func carryOut(_ form: FileForm, _ request: Request, _ responder: Responder) throws {
        let sender = try sender(ParseCredentials(form.control), request)
        if form.control.text("_method")?.uppercased() == "DELETE" {
            return responder.respond(try removed(request, sender))
        }
        let claimed = form.control.text("_ContentType")?.prefix { $0 != ";" }.lowercased()
        let order = try order(request, claimedType: claimed)
        let bytes = try form.bytes()
        try folder.checkRoom()
        let file = try folder.makeIncoming()
        try file.append(bytes)
        keep(file, order, of: sender, request, responder)
    }

    private func sender(
        _ credentials: ParseCredentials, _ request: Request
    ) throws -> FileSender {
        try FileSender(
            gate, accounts, isPublicAllowed: publicUploads ?? request.isLoopbackMode, credentials,
            request)
    }

    private func order(
        _ request: Request, claimedType: String?
    ) throws -> FileIntake.Order {
        let given = request.pathValue("name") ?? ""
        try FileName.check(given: given)
        return FileIntake.Order(given: given, claimedType: claimedType)
    }

    private func keep(
        _ file: IncomingFile, _ order: FileIntake.Order, of sender: FileSender,
        _ request: Request, _ responder: Responder
    ) {
        let links = ParseLinks(request: request, applicationID: gate.keys.appID)
        do {
            try sender.admit()
        } catch {
            return responder.fail(error)
        }
        intake.take(file, order) { outcome in
            responder.respond {
                let name = try outcome.get().name.text
                var answer = ParseAnswer([
                    "url": .string(links.file(name)), "name": .string(name),
                ])
                answer.status = .created
                answer.location = links.file(name)
                return answer.response
            }
        }
    }

    // MARK: - Out

    private func fetch(_ request: Request) throws -> Action {
        guard gate.knows(request.pathValue("appId")),
            let name = FileName(request.pathValue("name") ?? "")
        else { return .reply(FileAnswer.notFound) }
        let width = try Thumbnails.width(request)
        return later { responder in
            guard let record = try records.find(name) else {
                return responder.respond(FileAnswer.notFound)
            }
            guard let width else {
                return responder.respond(
                    try FileAnswer(record: record, folder: folder).response(to: request))
            }
            try thumbnails.answer(record, width: width, request, responder)
        }
    }

    // MARK: - Away

    private func delete(_ request: Request) throws -> Action {
        let sender = try sender(ParseCredentials(request), request)
        return later { responder in responder.respond(try removed(request, sender)) }
    }

    /// The record goes first: what is left after a crash is a file without a name, which goes at
    /// the next start.
    private func removed(_ request: Request, _ sender: FileSender) throws -> Response {
        guard sender.isMaster else { throw ParseRefusal.unauthorized }
        guard let name = FileName(request.pathValue("name") ?? ""), try records.remove(name)
        else { throw ParseError(.fileDelete, "Could not delete file.") }
        folder.remove(name.id)
        return ParseAnswer([:]).response
    }
}
