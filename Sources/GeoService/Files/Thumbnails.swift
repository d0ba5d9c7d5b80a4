/// Smaller forms of stored pictures, made when they are asked for and kept in memory within a bound.
final class Thumbnails: Sendable {
    private struct Key: Hashable {
        let id: String
        let width: Int
    }

    /// The widths that are made, in pixels: others are rounded up to one of them, so that nobody
    /// can have the service draw thousands of forms of one picture.
    static let widths = [64, 128, 256, 512, 1_024, 2_048]
    /// What is kept, in bytes.
    private static let limitBytes = 64 << 20

    private let cache = TwoGenerationCache<Key, CachedResponse>(limitBytes: limitBytes)
    private let folder: FileFolder
    private let works: PictureWorks

    init(folder: FileFolder, works: PictureWorks) {
        self.folder = folder
        self.works = works
    }

    /// The width that a request asks for, as one that is made; nil when it asks for none.
    ///
    /// - Throws: ``ParseError`` 102.
    static func width(_ request: Request) throws -> Int? {
        guard let text = try request.queryItems().last(where: { $0.name == "w" })?.value else {
            return nil
        }
        guard let asked = Int(text), (1...2_048).contains(asked) else {
            throw ParseError(.invalidQuery, "w must be a width in pixels from 1 to 2048")
        }
        return widths.first { $0 >= asked }
    }

    /// Answers with a picture of at most that width, never a larger one than was sent. Blocks.
    ///
    /// - Throws: ``ParseError`` 102 for what is no picture; ``FileError``; ``Problem``.
    func answer(
        _ record: FileRecord, width: Int, _ request: Request, _ responder: Responder
    ) throws {
        guard let size = record.size else {
            throw ParseError(.invalidQuery, "w is for pictures, and this file is none")
        }
        guard size.width > width else {
            return responder.respond(
                try FileAnswer(record: record, folder: folder).response(to: request))
        }
        let key = Key(id: record.name.id, width: width)
        if let known = cache.find(key) { return responder.respond(Response(known)) }
        let tag = FileAnswer.tag(of: record.name, width: width)
        if request.has(tag) {
            return responder.respond(.notModified(tag, cacheControl: FileAnswer.cacheControl))
        }
        let input: @Sendable () throws -> FileSlice = { [folder] in
            FileSlice(
                owning: try folder.open(record.name.id), start: 0,
                count: UInt64(record.byteCount))
        }
        try works.shrink(input, record.kind, width: width, in: folder) { [self] outcome in
            responder.respond {
                let picture = try outcome.get()
                defer { picture.file.discard() }
                let bytes = try picture.file.read(at: 0, count: try picture.file.byteCount())
                var response = Response(.ok)
                response.body = .bytes(bytes)
                FileAnswer.describe(
                    &response, FileType(picture.kind, extension: nil), tag, record.name)
                let kept = CachedResponse(response)
                cache.keep(kept, as: key, bytes: bytes.count + 512)
                return Response(kept)
            }
        }
    }
}
