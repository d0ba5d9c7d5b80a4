/// The text forms of ``CityRecord``.
package enum CityTextFormat: String, Sendable {
    /// A header and one line for each record: `id,lon,lat,kind,weight,time,owner,title`.
    case csv
    /// One GeoJSON feature on each line.
    case geojsonl
}

/// Writes a world as text, a bounded piece at a time.
///
///     var writer = CityTextWriter(generator, format: .csv, count: 1_000_000)
///     while writer.next(into: &bytes) { output.write(bytes); bytes.removeAll(keepingCapacity: true) }
package struct CityTextWriter: Sendable {
    /// The names of the CSV's columns, in order.
    package static let header = "id,lon,lat,kind,weight,time,owner,title"
    /// How many records one piece holds.
    static let recordsPerPiece: UInt64 = 4096

    private let generator: CityGenerator
    private let format: CityTextFormat
    private let count: UInt64
    private var nextIndex: UInt64 = 0
    private var hasBegun = false

    /// Creates a writer of the first `count` records.
    package init(_ generator: CityGenerator, format: CityTextFormat, count: UInt64) {
        self.generator = generator
        self.format = format
        self.count = count
    }

    /// How many records were written.
    package var written: UInt64 { nextIndex }

    /// Appends the next piece, about half a megabyte; false when there is no more.
    package mutating func next(into bytes: inout [UInt8]) -> Bool {
        if !hasBegun && format == .csv {
            bytes.append(contentsOf: CityTextWriter.header.utf8)
            bytes.append(UInt8(ascii: "\n"))
        } else if nextIndex >= count {
            return false
        }
        hasBegun = true
        let end = min(count, nextIndex + CityTextWriter.recordsPerPiece)
        while nextIndex < end {
            let record = generator.record(at: nextIndex)
            switch format {
            case .csv: bytes.append(csv: record)
            case .geojsonl: bytes.append(geoJSONLine: record)
            }
            nextIndex += 1
        }
        return true
    }
}

extension [UInt8] {
    /// Appends a record as a line of CSV.
    mutating func append(csv record: CityRecord) {
        append(decimal: record.number)
        append(UInt8(ascii: ","))
        append(fixedPoint: record.lonE6, places: 6)
        append(UInt8(ascii: ","))
        append(fixedPoint: record.latE6, places: 6)
        append(UInt8(ascii: ","))
        append(contentsOf: record.kind.name.utf8)
        append(UInt8(ascii: ","))
        append(fixedPoint: record.weightHundredths, places: 2)
        append(UInt8(ascii: ","))
        append(rfc3339Milliseconds: record.timeMilliseconds)
        append(contentsOf: ",user".utf8)
        append(decimal: UInt64(record.owner), width: 5)
        append(UInt8(ascii: ","))
        let title = record.title
        // The word lists hold commas, but no quotes and no newlines.
        let quote = title.utf8.contains(UInt8(ascii: ","))
        if quote { append(UInt8(ascii: "\"")) }
        append(contentsOf: title.utf8)
        if quote { append(UInt8(ascii: "\"")) }
        append(UInt8(ascii: "\n"))
    }

    /// Appends a record as a line with one GeoJSON feature.
    mutating func append(geoJSONLine record: CityRecord) {
        append(contentsOf: #"{"type":"Feature","id":""#.utf8)
        append(decimal: record.number)
        append(contentsOf: #"","geometry":{"type":"Point","coordinates":["#.utf8)
        append(fixedPoint: record.lonE6, places: 6)
        append(UInt8(ascii: ","))
        append(fixedPoint: record.latE6, places: 6)
        append(contentsOf: #"]},"properties":{"kind":""#.utf8)
        append(contentsOf: record.kind.name.utf8)
        append(contentsOf: #"","weight":"#.utf8)
        append(fixedPoint: record.weightHundredths, places: 2)
        append(contentsOf: #","time":""#.utf8)
        append(rfc3339Milliseconds: record.timeMilliseconds)
        append(contentsOf: #"","owner":"user"#.utf8)
        append(decimal: UInt64(record.owner), width: 5)
        append(contentsOf: #"","title":""#.utf8)
        append(contentsOf: record.title.utf8)
        append(contentsOf: "\"}}\n".utf8)
    }
}
