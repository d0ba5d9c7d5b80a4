/// Makes a stored file of the bytes that a client has sent: judges them, takes from pictures what
/// does not belong to the picture, and keeps them. Blocks: for the pools' threads.
struct FileIntake: Sendable {
    let folder: FileFolder
    let records: FileRecords
    let works: PictureWorks

    /// The longest file, in bytes.
    static let limitBytes = 20 << 20

    /// What a client says of its file.
    struct Order: Sendable {
        let given: String
        /// The media type without its parameters, in lower case.
        let claimedType: String?
    }

    /// Keeps a file, then answers: when that is said, nothing else of it is left.
    func take(
        _ file: IncomingFile, _ order: Order,
        then answer: @escaping @Sendable (Result<FileRecord, any Error>) -> Void
    ) {
        let done = { @Sendable (outcome: Result<FileRecord, any Error>) in
            file.discard()
            answer(outcome)
        }
        do {
            let count = try file.byteCount()
            guard count > 0 else { throw ParseError(.fileSave, "Invalid file upload.") }
            let head = try file.read(at: 0, count: FileKind.headBytes)
            let kind = FileKind(head: head[...])
            let evidence = FileEvidence(kind: kind, order: order)
            try evidence.check()
            guard kind.family == .picture else {
                if kind.family == .media { try MediaLocation.remove(from: file, kind) }
                let record = FileRecord(
                    name: name(order, kind), kind: kind, byteCount: count)
                try keep(file, record)
                return done(.success(record))
            }
            try PolyglotCheck.check(file, count: count)
            try works.convert(file, kind, in: folder) { outcome in
                done(
                    Result {
                        let picture = try outcome.get()
                        defer { picture.file.discard() }
                        let record = FileRecord(
                            name: name(order, picture.kind), kind: picture.kind,
                            byteCount: try picture.file.byteCount(), size: picture.size)
                        try keep(picture.file, record)
                        return record
                    })
            }
        } catch {
            done(.failure(error))
        }
    }

    private func name(_ order: Order, _ kind: FileKind) -> FileName {
        guard FileName.fileExtension(of: order.given) == nil,
            let ending = FileType.fileExtension(for: kind, claimed: order.claimedType)
        else { return FileName(given: order.given) }
        let stem = order.given.hasSuffix(".") ? String(order.given.dropLast()) : order.given
        return FileName(given: "\(stem).\(ending)")
    }

    /// The bytes first, then the record: what is named is always there.
    private func keep(_ file: IncomingFile, _ record: FileRecord) throws {
        try folder.keep(file, as: record.name.id)
        do {
            try records.add(record)
        } catch {
            folder.remove(record.name.id)
            throw error
        }
    }
}
