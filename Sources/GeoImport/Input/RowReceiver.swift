/// Rows from bytes that come by themselves, such as a request's body.
///
/// GeoJSON gives rows while it comes. A table is kept in a temporary file meanwhile, because its
/// columns' types are known at the end only, and so is OpenStreetMap data, which is read several
/// times; their rows come from ``finish(_:)``.
///
///     var receiver = try RowReceiver(format: .csv, options: options, spoolDirectory: directory)
///     try receiver.push(bytes.span) { batch in … }
///     try receiver.finish { batch in … }
///
/// It belongs to one thread at a time.
package struct RowReceiver: ~Copyable {
    private enum Work {
        case table(CSVSurvey)
        case stream(any RowSource)
        /// All is kept until the end.
        case spool
        /// A file that GDAL has to see whole.
        case file(ImportFormat)
        /// It is in the hands of ``push(_:_:)``, or that has failed.
        case taken
    }

    private let options: ImportOptions
    private var work: Work
    private var spool: ByteFile?
    private var upload: SpooledUpload?
    private var batch = RowBatch()
    /// What was read differently from how it is written; complete after ``finish(_:)``.
    package private(set) var notes: [String] = []

    /// Creates a receiver.
    ///
    /// - Parameter spoolDirectory: Where a table waits; it needs as much room as the body.
    /// - Throws: ``ImportError/file(operation:code:)``.
    package init(
        format: ImportFormat, options: ImportOptions, spoolDirectory: String
    ) throws(ImportError) {
        self.options = options
        spool = nil
        upload = nil
        switch format {
        case .csv:
            let survey = try CSVSurvey(options: options)
            spool = try ByteFile.temporary(inDirectory: spoolDirectory)
            work = .table(survey)
        case .osm:
            spool = try ByteFile.temporary(inDirectory: spoolDirectory)
            work = .spool
        case .geojson: work = .stream(try GeoJSONSource(options: options))
        case .geojsonl: work = .stream(try GeoJSONLinesSource(options: options))
        case .gpx: work = .stream(try GPXSource(options: options))
        case .shapefile, .geopackage:
            upload = try SpooledUpload(inDirectory: spoolDirectory, format: format)
            work = .file(format)
        }
    }

    /// Takes the next bytes and hands over the rows that they complete.
    ///
    /// - Throws: ``ImportError``, and what `deliver` throws. Rows before an error are delivered.
    package mutating func push(
        _ bytes: Span<UInt8>, _ deliver: (inout RowBatch) throws -> Void
    ) throws {
        // Taken out first: while a second reference stands in `work`, each piece would copy all
        // that the reader carries over from the pieces before.
        let current = work
        work = .taken
        switch consume current {
        case .table(var survey):
            try survey.push(bytes)
            work = .table(survey)
            try spool?.append(bytes)
        case .spool:
            work = .spool
            try spool?.append(bytes)
        case .taken: break
        case .file(let format):
            try upload?.append(bytes)
            work = .file(format)
        case .stream(var source):
            let outcome = RowReceiver.attempt { () throws(ImportError) in
                try source.push(bytes, into: &batch)
            }
            work = .stream(source)
            try flush(deliver)
            try outcome.get()
        }
    }

    /// Takes the end of the bytes and hands over the rest of the rows.
    package mutating func finish(_ deliver: (inout RowBatch) throws -> Void) throws {
        switch work {
        case .taken: break
        case .spool:
            guard let path = spool?.path else { break }
            notes = try FileImport.readOSM(
                at: path, options: options, progress: { _ in }, deliver)
        case .file(let format): try finish(format, deliver)
        case .stream(var source):
            let outcome = RowReceiver.attempt { () throws(ImportError) in
                try source.finish(into: &batch)
            }
            notes = source.notes
            try flush(deliver)
            try outcome.get()
        case .table(var survey):
            var source = try CSVSource(options: options, plan: survey.finish())
            try spool?.rewind()
            var goesOn = true
            while goesOn {
                goesOn =
                    try spool?.readPiece { (piece) throws(ImportError) in
                        try source.push(piece, into: &batch)
                    } ?? false
                try flush(deliver)
            }
            try source.finish(into: &batch)
            notes = source.notes
            try flush(deliver)
        }
    }

    /// Reads a file that GDAL turns into lines of GeoJSON.
    private mutating func finish(
        _ format: ImportFormat, _ deliver: (inout RowBatch) throws -> Void
    ) throws {
        var plain = options
        plain.crs = nil
        var source = try GeoJSONLinesSource(options: plain)
        guard var file = try upload?.converted(format: format, crs: options.crs) else { return }
        var goesOn = true
        while goesOn {
            let outcome = RowReceiver.attempt { () throws(ImportError) in
                goesOn = try file.readPiece { (piece) throws(ImportError) in
                    try source.push(piece, into: &batch)
                }
                if !goesOn { try source.finish(into: &batch) }
            }
            notes = source.notes
            try flush(deliver)
            try outcome.get()
        }
    }

    private mutating func flush(_ deliver: (inout RowBatch) throws -> Void) throws {
        guard !batch.rows.isEmpty || !batch.rejections.isEmpty else { return }
        try deliver(&batch)
        batch.removeAll()
    }

    private static func attempt(
        _ body: () throws(ImportError) -> Void
    ) -> Result<Void, ImportError> {
        do throws(ImportError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}
