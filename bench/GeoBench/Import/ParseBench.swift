import GeoImport
import GeoIndex
import Glibc
import SyntheticCity

extension Bench {
    /// `import.parse`: the city as a table in a file, read into rows that could be written: numbers,
    /// texts, types of columns, positions on the globe. One thread, both readings of the table.
    ///
    /// The figure is rows in a second. The table stays in `folder`, when there is one, for programs
    /// that read it beside ours.
    func parse(folder: String?) throws {
        guard wants("import.parse"), input.name.hasPrefix("city") else { return }
        let path = folder.map { "\($0)/table.csv" } ?? "/tmp/geobench-\(getpid()).csv"
        defer { if folder == nil { unsafe _ = unlink(path) } }
        try writeTable(path)
        var rates: [Statistics] = []
        var results: Set<Double> = []
        for _ in 0..<runs {
            var samples = Samples()
            var sum = 0.0
            let rows = try samples.time { try readTable(path, &sum) }
            try check(rows == input.count, "\(rows) rows of \(input.count)")
            results.insert(sum)
            let perSecond = Double(rows) * 1e6
            let times = samples.statistics
            rates.append(
                Statistics(
                    wall: times.wall.rate(perSecond), processor: times.processor.rate(perSecond)))
        }
        try check(results.count == 1, "the table gave \(results) by turns")
        report.add(
            Record(
                name: input.benchmark("import.parse"), unit: "rows/s",
                statistics: Statistics(medianOf: rates), calls: 1, runs: runs,
                result: results.first, check: "count of rows; sum of longitudes, as the peers'",
                note: "8 columns, both readings of the file, one thread"))
    }

    private func writeTable(_ path: String) throws {
        var writer = CityTextWriter(
            try CityGenerator(), format: .csv, count: UInt64(input.count))
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try check(descriptor >= 0, "\(path) cannot be written")
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while writer.next(into: &bytes) {
            let written = unsafe write(descriptor, bytes, bytes.count)
            try check(written == bytes.count, "\(path) cannot be written")
            bytes.removeAll(keepingCapacity: true)
        }
    }

    private func readTable(_ path: String, _ sum: inout Double) throws -> Int {
        var rows = 0
        var total = 0.0
        _ = try FileImport.read(
            try ByteFile(opening: path), format: .csv, options: ImportOptions(),
            spoolDirectory: "/tmp"
        ) { batch in
            rows += batch.rows.count
            for row in batch.rows { total += row.position?.lon ?? 0 }
        }
        sum = (total * 1e3).rounded() / 1e3
        return rows
    }
}
