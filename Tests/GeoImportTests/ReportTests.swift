import GeoIndex
import JSONText
import Testing

@testable import GeoImport

@Suite("The report of an import")
struct ReportTests {
    static func warnings(
        _ text: String, options: ImportOptions = ImportOptions(), extent: BoundingBox? = nil
    ) -> [String] {
        let reading = read(text, as: .csv, options: options)
        var batch = RowBatch()
        batch.rows = reading.rows
        batch.rejections = reading.rejections
        var collector = WarningCollector(options: options)
        collector.add(batch)
        return collector.warnings(layerExtent: extent)
    }

    @Test("the first hundred errors are shown, all are counted")
    func errors() {
        var report = ImportReport()
        report.add((1...70).map { RowRejection(line: $0, reason: .unclosedQuote) })
        report.add((71...150).map { RowRejection(line: $0, reason: .textAfterQuote) })
        report.reject(line: 151, reason: "the field x is a Number")
        report.added = 3
        report.seconds = 1.23456
        #expect(report.rejected == 151 && report.errors.count == 100)
        let json = report.json
        #expect(json["added"] == 3 && json["rejected"] == 151 && json["seconds"] == 1.235)
        #expect(json["errors"]?.arrayValue?.last?["line"] == 100)
        #expect(
            json.objectValue?.keys == [
                "added", "updated", "unchanged", "removed", "rejected", "seconds", "warnings",
                "errors",
            ])
    }

    @Test("rows at (0,0) and at one spot are counted")
    func spots() {
        #expect(Self.warnings("lon,lat\n1,2\n3,4\n").isEmpty)
        #expect(
            Self.warnings("lon,lat\n0,0\n0,-0\n5,5\n5,5.00000001\n") == [
                "2 rows at (0,0)", "2 rows at the same spot as an earlier row",
            ])
    }

    @Test("memory for spots is bounded: past it the count is a lower bound")
    func manySpots() throws {
        var collector = WarningCollector()
        var batch = RowBatch()
        for index in 0..<200_000 {
            batch.rows.append(
                ImportRow(
                    line: index, id: nil,
                    position: try LonLat(
                        lon: Double(index % 100_000) / 1000, lat: Double(index / 100_000)),
                    fields: [:]))
        }
        collector.add(batch)
        #expect(collector.warnings() == ["1 row at (0,0)"])
        collector.add(batch)
        let warning = try #require(collector.warnings().last)
        #expect(warning.hasPrefix("at least 196608 rows"))
    }

    @Test("swapped columns are suspected by names, by range and by the layer's extent")
    func swapped() throws {
        let sentence = "all rows would fit with lon and lat swapped"
        var options = ImportOptions()
        options.lonColumn = "lat"
        options.latColumn = "lon"
        #expect(Self.warnings("lat,lon\n1,2\n3,4\n", options: options) == [sentence])
        // 120° of latitude cannot be; swapped, both rows fit.
        #expect(Self.warnings("lon,lat\n35,120\n36,80\n") == [sentence])
        #expect(Self.warnings("lon,lat\n35,120\n100,80\n").isEmpty)
        let germany = try BoundingBox(west: 6, south: 47, east: 15, north: 55)
        #expect(Self.warnings("lon,lat\n52.5,13.4\n48.1,11.6\n", extent: germany) == [sentence])
        #expect(Self.warnings("lon,lat\n13.4,52.5\n11.6,48.1\n", extent: germany).isEmpty)
    }
}
