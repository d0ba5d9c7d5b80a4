import CProcessor
import GeoIndex
import GeoStore
import Glibc
import TileRender

/// `GET /export/{layer}`: an archive of a layer's tiles, or a picture of a box. With the master key.
///
/// What is in it is what the map shows to the viewer whose session token comes with the key, or to
/// everybody. An archive is drawn into a file without a name in the data directory, which goes when
/// the answer has been sent or nobody waits for it any more.
struct ExportRoutes: Sendable {
    let catalog: LayerCatalog
    let objects: ObjectReader
    let viewers: Viewers
    let access: MasterAccess
    let basemap: BasemapTiles
    let painter: TilePainter
    let pool: WorkPool
    /// Where archives wait until they are whole.
    let spoolDirectory: String

    /// Archives at once, drawn or being sent.
    static let threads = 2
    /// Archives that wait for that.
    static let queueLimit = 4
    /// The most tiles of one.
    private static let mostTiles = 2_000_000
    /// Room on the disk that is left to the store.
    private static let reservedBytes: UInt64 = 256 << 20
    /// Bytes that are read of a file at once.
    private static let pieceBytes = 128 << 10
    /// Half of the processors: what is asked meanwhile has the others, and comes first.
    private static let drawingThreads = max(1, geo_usable_processors() / 2)

    func register(in router: inout Router) {
        router.add(.get, "/export/{layer}") { request in
            try access.require(request)
            return try viewers.answer(request, heatIsEnough: true) { viewer in
                try answer(request, viewer)
            }
        }
    }

    private func answer(_ request: Request, _ viewer: Viewer) throws -> Action {
        let items = try request.queryItems()
        let name = request.pathValue("layer") ?? ""
        if items.contains(where: { $0.name == "format" && $0.value == "png" }) {
            return try picture(of: name, items, viewer, request)
        }
        let layer = try catalog.layer(for: request)
        let order: ArchiveOrder
        do throws(Problem) {
            order = try ArchiveOrder(items: items, layer: name, viewer, now: catalog.now())
        } catch {
            throw ExportRoutes.alsoPNG(error)
        }
        if request.method == .head {
            let stream = ResponseStream()
            stream.finish()
            return .reply(response(order, stream, bytes: nil))
        }
        return .later { responder in
            let isTaken = pool.submit {
                do {
                    let (file, bytes) = try make(order, of: layer) { responder.isAwaited }
                    send(file, bytes, order, responder)
                } catch {
                    responder.fail(ExportRoutes.problem(error))
                }
            }
            if !isTaken {
                responder.fail(
                    Problem(
                        .serviceUnavailable, "too many exports are under way; try again later",
                        headers: [HeaderField("Retry-After", "30")]))
            }
        }
    }

    /// The formats of archives are those that commands know; over HTTP there is one more.
    private static func alsoPNG(_ problem: Problem) -> Problem {
        guard problem.errors.first?.field == "format" else { return problem }
        return .parameter("format", "must be \(ArchiveFormat.names), or png for a picture of a box")
    }

    // MARK: - Archives

    /// Draws an archive into a file that has no name.
    private func make(
        _ order: ArchiveOrder, of layer: Layer, while isAwaited: () -> Bool
    ) throws -> (file: ArchiveFile, bytes: Int) {
        let source = try ArchiveSource(
            order, of: layer, objects: objects, catalog: catalog, painter: painter)
        let plan = try ArchiveMaker.plan(order, source, limit: ExportRoutes.mostTiles)
        let path = spoolDirectory + "/" + ExportRoutes.spoolPrefix + Keys.randomKey()
        let file = try ArchiveFile(
            path: path, startBytes: PMTilesWriter.frontBytes, isShared: false)
        ArchivePath.remove(path)
        let maker = try ArchiveMaker(source, plan: plan, file: file)
        var lookedAt = ContinuousClock.now
        func check() throws {
            guard ContinuousClock.now - lookedAt > .milliseconds(250) else { return }
            lookedAt = .now
            guard isAwaited() else { throw ArchiveError.unwanted }
            guard try file.freeBytes() >= ExportRoutes.reservedBytes else {
                throw ArchiveError.noRoom(reservedBytes: ExportRoutes.reservedBytes)
            }
        }
        guard try file.freeBytes() >= ExportRoutes.reservedBytes else {
            throw ArchiveError.noRoom(reservedBytes: ExportRoutes.reservedBytes)
        }
        try maker.draw(threads: ExportRoutes.drawingThreads) { _ in try check() }
        guard order.format == .mbtiles else {
            try maker.finish()
            return (file, file.end)
        }
        defer { ArchivePath.remove(path) }
        try maker.writeMBTiles(to: path, check: check)
        return (
            try ArchiveFile(path: path, startBytes: 0, isShared: true),
            try ArchivePath.bytes(of: path)
        )
    }

    private func send(
        _ file: ArchiveFile, _ bytes: Int, _ order: ArchiveOrder, _ responder: Responder
    ) {
        let stream = ResponseStream()
        responder.respond(response(order, stream, bytes: UInt64(bytes)))
        do {
            var place = 0
            while place < bytes {
                let piece = try file.read(
                    at: place, count: min(ExportRoutes.pieceBytes, bytes - place))
                guard !piece.isEmpty else { throw ArchiveError.file(code: EIO) }
                try stream.write(piece)
                place += piece.count
            }
            stream.finish()
        } catch {
            stream.fail()
        }
    }

    private func response(
        _ order: ArchiveOrder, _ stream: ResponseStream, bytes: UInt64?
    ) -> Response {
        var response = Response(.ok, order.format.mediaType, stream)
        response.body = .stream(stream, bytes: bytes)
        response.cacheControl = "no-store"
        response.headers = [
            // A layer's name is letters, digits and underscores.
            HeaderField(
                "Content-Disposition",
                "attachment; filename=\"\(order.layer).\(order.format.rawValue)\"")
        ]
        return response
    }

    private static func problem(_ error: any Error) -> any Error {
        guard let error = error as? ArchiveError else { return error }
        switch error {
        case .empty: return Problem(.notFound, "\(error)")
        case .unwanted: return Problem.stopping
        case .noRoom, .noThread, .file, .isBeingWritten, .targetExists:
            Log.warning("an export failed: \(error)")
            return Problem(
                .serviceUnavailable, "the archive could not be kept while it was made: \(error)")
        }
    }

    // MARK: - Pictures

    private func picture(
        of name: String, _ items: [(name: String, value: String)], _ viewer: Viewer,
        _ request: Request
    ) throws -> Action {
        let order = try PictureOrder(items: items, layer: name, viewer, now: catalog.now())
        if name == PictureOrder.basemap {
            let style = try basemap.style(order.basemapStyle)
            return pool.run {
                ExportRoutes.response(try basemap.png(of: order.window, style: style))
            }
        }
        let layer = try catalog.layer(for: request)
        return pool.run {
            ExportRoutes.response(
                try PicturePainter(objects: objects, catalog: catalog).png(
                    order, of: layer, by: painter)
            ).seen(by: viewer)
        }
    }

    private static func response(_ picture: [UInt8]) -> Response {
        var response = Response(.ok, .png, picture)
        response.cacheControl = "no-store"
        return response
    }

    // MARK: - What was left

    private static let spoolPrefix = "export-"

    /// Takes away what a server that was killed has left.
    static func removeLeftovers(in directory: String) {
        guard let folder = unsafe opendir(directory) else { return }
        defer { unsafe closedir(folder) }
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            // A prefix and 32 digits, as nothing else here is named.
            if name.hasPrefix(spoolPrefix), name.utf8.count == spoolPrefix.utf8.count + 32 {
                ArchivePath.remove(directory + "/" + name)
            }
        }
    }
}

extension ArchiveFormat {
    fileprivate var mediaType: MediaType {
        switch self {
        case .mbtiles: .mbtiles
        case .pmtiles: .pmtiles
        }
    }
}

extension MediaType {
    fileprivate static let mbtiles = MediaType("application/vnd.sqlite3", isCompressible: false)
    fileprivate static let pmtiles = MediaType("application/vnd.pmtiles", isCompressible: false)
}
