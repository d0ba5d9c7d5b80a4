import Glibc

/// One line of the report: a benchmark's name and figures.
struct Record {
    /// `<type>.<operation>.<input>.<size>`.
    var name: String
    /// What the figures count: `us`, times in microseconds; `B`, bytes; `moves/s`; or a plain
    /// number of something.
    var unit = "us"
    /// The figures.
    var statistics: Statistics
    /// How many calls a run had.
    var calls: Int
    /// How many runs the figures are medians of.
    var runs: Int
    /// What all calls of a run gave, summed up: a peer's must be the same.
    var result: Double?
    /// Bytes of resident memory for each object.
    var bytesPerObject: Double?
    /// How the result was checked.
    var check: String
    /// What else a reader should know.
    var note = ""
    /// Aims that only this run itself can judge.
    var verdicts: [Verdict] = []

    /// An aim, what was found, and whether that meets it. Texts hold neither quotes nor
    /// backslashes.
    struct Verdict {
        var aim: String
        var found: String
        var isMet: Bool

        fileprivate var json: String {
            "{\"aim\":\"\(aim)\",\"found\":\"\(found)\",\"met\":\(isMet)}"
        }
    }

    /// The record as one line of JSON. Texts hold neither quotes nor backslashes.
    var json: String {
        func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }
        func spread(_ name: String, _ spread: Spread) -> String {
            "\"\(name)\":{\"p50\":\(number(spread.p50)),\"p99\":\(number(spread.p99)),"
                + "\"mean\":\(number(spread.mean))}"
        }
        var fields = [
            "\"name\":\"\(name)\"", "\"who\":\"geoservice\"", "\"unit\":\"\(unit)\"",
            spread("wall", statistics.wall), spread("cpu", statistics.processor),
            "\"calls\":\(calls)", "\"runs\":\(runs)", "\"check\":\"\(check)\"",
            "\"note\":\"\(note)\"",
        ]
        if let result { fields.append("\"result\":\(number(result))") }
        if let bytesPerObject { fields.append("\"bytesPerObject\":\(number(bytesPerObject))") }
        if !verdicts.isEmpty {
            fields.append("\"verdicts\":[\(verdicts.map(\.json).joined(separator: ","))]")
        }
        return "{" + fields.joined(separator: ",") + "}"
    }

    /// The record for a person.
    var text: String {
        func short(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
        let wall = statistics.wall
        let processor = statistics.processor
        var text =
            "\(name): p50 \(short(wall.p50)), p99 \(short(wall.p99)), mean \(short(wall.mean))"
            + " \(unit) (processor \(short(processor.p50)), \(short(processor.p99)),"
            + " \(short(processor.mean)))"
        if let bytesPerObject { text += ", \(short(bytesPerObject)) bytes an object" }
        for verdict in verdicts {
            text += "; \(verdict.aim): \(verdict.found), \(verdict.isMet ? "met" : "missed")"
        }
        return text + (note.isEmpty ? "" : "; \(note)") + "; checked: \(check)"
    }
}

/// Takes records, and writes each out when it comes: a run that is broken off keeps what it has.
struct Report {
    /// JSON on standard output, for the program that makes the table; else text.
    var isJSON = false

    func add(_ record: Record) {
        print(isJSON ? record.json : record.text)
        fflush(nil)
    }

    /// Says that a benchmark cannot be had yet, and why.
    func addAbsent(_ name: String, _ why: String) {
        print(
            isJSON
                ? "{\"name\":\"\(name)\",\"who\":\"geoservice\",\"absent\":\"\(why)\"}"
                : "\(name): not there yet: \(why)")
        fflush(nil)
    }
}
