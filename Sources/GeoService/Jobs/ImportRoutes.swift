import GeoImport
import GeoIndex
import GeoStore
import Glibc
import JSONText

/// `POST /import/{layer}`: a file into a layer, streamed.
struct ImportRoutes: Sendable {
    let store: SQLiteStore
    let catalog: LayerCatalog
    let fitter: HeatFitter
    let access: MasterAccess
    let pool: WorkPool
    /// Where tables wait until their columns are known; they may be larger than memory.
    let spoolDirectory: String

    private static let formats =
        "text/csv, application/geo+json, application/geo+json-seq, application/gpx+xml, "
        + "application/vnd.openstreetmap.data+pbf, application/zip (a shapefile) or "
        + "application/geopackage+sqlite3"

    func register(in router: inout Router) {
        router.add(.post, "/import/{layer}") { request in
            try access.require(request)
            let order = try ImportOrder(request)
            let format = try ImportRoutes.format(of: request)
            let body = ImportBody()
            guard pool.submit({ body.answer(Result { try run(order, format, body) }) }) else {
                throw Problem(
                    .serviceUnavailable, "too many imports are waiting; try again later",
                    headers: [HeaderField("Retry-After", "5")])
            }
            return .consume(body)
        }
    }

    private static func format(of request: Request) throws(Problem) -> ImportFormat {
        let coding = request.header("content-encoding")?.lowercased() ?? "identity"
        guard coding == "identity" else {
            throw Problem(
                .unsupportedMediaType, "Content-Encoding must be identity: send the file as it is")
        }
        guard let type = request.contentType, let format = ImportFormat(mediaType: type) else {
            throw Problem(.unsupportedMediaType, "Content-Type must be \(formats)")
        }
        return format
    }

    /// What other requests ask for comes first, as with archives.
    private static let niceness: Int32 = 10

    /// Does an import on one of the pool's threads, which do nothing else.
    private func run(
        _ order: ImportOrder, _ format: ImportFormat, _ body: ImportBody
    ) throws -> Response {
        // On Linux that is the thread alone.
        _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, ImportRoutes.niceness)
        let job = ImportJob(
            order, store: store, extent: catalog.layer(named: order.layer)?.current.extent,
            isTable: format == .csv)
        do {
            var receiver = try RowReceiver(
                format: format, options: order.options, spoolDirectory: spoolDirectory)
            while let bytes = try body.next() {
                try receiver.push(bytes.span) { try job.take(&$0) }
            }
            try receiver.finish { try job.take(&$0) }
            let report = try job.finish(notes: receiver.notes)
            if let layer = catalog.layer(named: order.layer) { fitter.fit(layer) }
            try job.close()
            var response = Response(.ok, .json, JSONWriter.encode(job.json(of: report)))
            response.cacheControl = "no-store"
            return response
        } catch let error as ImportError {
            throw ImportRoutes.problem(
                error, soFar: try job.finishBroken(), isDryRun: order.dryRun)
        } catch let error as StoreError {
            var problem = ErrorAnswers.problem(error)
            problem.detail += "; \(job.abandon().fate(isDryRun: order.dryRun))"
            throw problem
        } catch {
            job.abandon()
            throw error
        }
    }

    /// What is wrong with the file, and what became of what came before.
    private static func problem(
        _ error: ImportError, soFar report: ImportReport, isDryRun: Bool
    ) -> Problem {
        if case .file = error {
            return Problem(
                .serviceUnavailable, "the service could not keep the file while it came: \(error)")
        }
        return Problem(
            .badRequest,
            "\(error); \(report.fate(isDryRun: isDryRun)) (\(report.added) added, "
                + "\(report.updated) updated), \(report.unchanged) unchanged, "
                + "\(report.rejected) rejected")
    }
}

extension ImportReport {
    /// What became of the rows before an error that ended the import.
    func fate(isDryRun: Bool) -> String {
        let count = added + updated
        let rows = count == 1 ? "1 row before it" : "\(count) rows before it"
        if isDryRun { return "\(rows) would have been stored, and nothing was, in this dry run" }
        return "\(rows) \(count == 1 ? "was" : "were") stored"
    }
}

extension ImportJob {
    /// The answer to whoever asked: the report, and the sample of a dry run.
    func json(of report: ImportReport) -> JSONValue {
        guard isDryRun, var members = report.json.objectValue else { return report.json }
        members["dryRun"] = true
        members["sample"] = .array(sample)
        return .object(members)
    }
}
