import GeoImport
import GeoService
import JSONText

/// Prints what imports did, and keeps the rows that were left out in a file.
final class ImportReportPrinter {
    private static let shownErrors = 10

    private let errorsFile: ErrorsFile?
    /// Whether any row of any file was left out.
    private(set) var hasRejections = false

    /// Holds the file, which cannot be copied, in a class that can.
    private final class ErrorsFile {
        let file: OutputFile
        var bytes: [UInt8] = []
        var failure: OutputError?
        var lines = 0

        init(_ file: consuming OutputFile) { self.file = file }

        func flush() {
            guard failure == nil else { return }
            do throws(OutputError) {
                try file.write(bytes)
            } catch {
                failure = error
            }
            bytes.removeAll(keepingCapacity: true)
        }
    }

    init(errorsFile: consuming OutputFile?) {
        if let file = consume errorsFile {
            self.errorsFile = ErrorsFile(file)
        } else {
            self.errorsFile = nil
        }
    }

    /// Whether every row that is left out is wanted.
    var isKeepingErrors: Bool { errorsFile != nil }

    /// Keeps a row that was left out.
    func keep(line: Int, reason: String) {
        guard let errorsFile else { return }
        errorsFile.lines += 1
        errorsFile.bytes += Array("\(line)\t\(reason)\n".utf8)
        if errorsFile.bytes.count > 1 << 16 { errorsFile.flush() }
    }

    /// Prints the report of one file.
    ///
    /// - Throws: ``OutputError`` when the file of errors could not be written.
    func print(_ result: ImportResult, of name: String?, order: ImportOrder) throws {
        let report = result.report
        for object in result.sample {
            Swift.print(String(decoding: JSONWriter.encode(object), as: UTF8.self))
        }
        Swift.print((name.map { "\($0): " } ?? "") + ImportReportPrinter.summary(report, order))
        for warning in report.warnings { Swift.print("warning: \(warning)") }
        if let errorsFile {
            if report.rejected > errorsFile.lines {
                keep(
                    line: 0,
                    reason: "\(report.rejected - errorsFile.lines) more rows were left out; "
                        + "the server names the first \(ImportReport.shownErrors) only")
            }
            errorsFile.flush()
            errorsFile.lines = 0
            if let failure = errorsFile.failure { throw failure }
        } else {
            for error in report.errors.prefix(ImportReportPrinter.shownErrors) {
                Swift.print("line \(error.line): \(error.reason)")
            }
            let more = report.rejected - ImportReportPrinter.shownErrors
            if more > 0 { Swift.print("and \(more.grouped) more: --errors FILE keeps all of them") }
        }
        if report.rejected > 0 { hasRejections = true }
    }

    private static func summary(_ report: ImportReport, _ order: ImportOrder) -> String {
        let counts = [
            ("added", report.added), ("updated", report.updated),
            ("unchanged", report.unchanged), ("removed", report.removed),
            ("left out", report.rejected),
        ]
        let shown = counts.filter { $0.1 > 0 || $0.0 == "added" }
            .map { "\($0.1.grouped) \($0.0)" }.joined(separator: ", ")
        let hundredths = Int((report.seconds * 100).rounded())
        let fraction = hundredths % 100
        let seconds = "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
        return order.dryRun
            ? "would be in \(order.layer): \(shown) (a dry run: nothing was kept)"
            : "\(order.layer): \(shown) in \(seconds)"
    }
}
