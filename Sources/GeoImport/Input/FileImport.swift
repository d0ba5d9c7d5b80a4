/// Reads all rows of a file.
package enum FileImport {
    /// Lends the rows of a file, batch by batch, to be taken or left, with the share of the work that is done.
    ///
    /// A table that can be read again is read twice, OpenStreetMap data three times; from a pipe they
    /// wait in a temporary file.
    ///
    /// - Parameters:
    ///   - spoolDirectory: Where a table from a pipe waits.
    ///   - progress: The share of the file that was read, in 0...1; nil for a pipe. Called after
    ///     every piece.
    /// - Returns: What was read differently from how it is written, one sentence each.
    /// - Throws: ``ImportError``, and what the closures throw.
    package static func read(
        _ file: consuming ByteFile, format: ImportFormat, options: ImportOptions,
        spoolDirectory: String, progress: (Double?) throws -> Void = { _ in },
        _ deliver: (inout RowBatch) throws -> Void
    ) throws -> [String] {
        if format == .osm, file.canRewind {
            return try readOSM(at: file.path, options: options, progress: progress, deliver)
        }
        let size = file.size.map { Double(max(1, $0)) }
        guard format == .csv, file.canRewind else {
            var receiver = try RowReceiver(
                format: format, options: options, spoolDirectory: spoolDirectory)
            var piece: [UInt8] = []
            while try file.readPiece({ (bytes) throws(ImportError) in
                piece.removeAll(keepingCapacity: true)
                piece.append(bytes, 0..<bytes.count)
            }) {
                try receiver.push(piece.span, deliver)
                try progress(size.map { min(1, Double(file.readBytes) / $0) })
            }
            try receiver.finish(deliver)
            return receiver.notes
        }
        var survey = try CSVSurvey(options: options)
        while try file.readPiece({ (piece) throws(ImportError) in try survey.push(piece) }) {
            // The first reading is a fifth of the work.
            try progress(size.map { min(1, Double(file.readBytes) / $0) / 5 })
        }
        var source = try CSVSource(options: options, plan: survey.finish())
        var batch = RowBatch()
        try file.rewind()
        while try file.readPiece({ (piece) throws(ImportError) in
            try source.push(piece, into: &batch)
        }) {
            try deliver(&batch)
            batch.removeAll()
            try progress(size.map { 0.2 + 0.8 * min(1, Double(file.readBytes) / $0) })
        }
        try source.finish(into: &batch)
        try deliver(&batch)
        return source.notes
    }

    /// Lends the rows of an OpenStreetMap file, which its reader opens by itself.
    static func readOSM(
        at path: String, options: ImportOptions, progress: (Double?) throws -> Void,
        _ deliver: (inout RowBatch) throws -> Void
    ) throws -> [String] {
        var rows = try OSMRows(path: path, options: options)
        var batch = RowBatch()
        var goesOn = true
        while goesOn {
            let outcome = Result { () throws(ImportError) in goesOn = try rows.read(into: &batch) }
            try deliver(&batch)
            batch.removeAll()
            try outcome.get()
            try progress(rows.progress)
        }
        return rows.notes
    }
}
