import Glibc

// A run ends with 0 when all results were right, 1 when one was wrong, 2 when it was asked wrongly.
do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    try BenchRun(options).run()
} catch let error as UsageError {
    complain("GeoBench: \(error)\n\n\(Options.usage)")
    exit(2)
} catch {
    complain("GeoBench: \(error)")
    exit(1)
}

/// Writes a line to standard error.
func complain(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(2, bytes, bytes.count)
}
