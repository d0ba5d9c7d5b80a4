import SyntheticCity
import Testing

@Suite("A synthetic world")
struct CityGeneratorTests {
    /// FNV-1a, 64 bits: enough to pin bytes down.
    static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    static func text(
        _ format: CityTextFormat, count: UInt64, cityCount: Int = 30, seed: UInt64 = 1
    ) throws -> [UInt8] {
        var writer = CityTextWriter(
            try CityGenerator(cityCount: cityCount, seed: seed), format: format, count: count)
        var bytes: [UInt8] = []
        while writer.next(into: &bytes) {}
        #expect(writer.written == count)
        return bytes
    }

    @Test("the same seed gives the same bytes, here and on every machine")
    func bytesArePinned() throws {
        let csv = try Self.text(.csv, count: 10_000)
        #expect(csv == (try Self.text(.csv, count: 10_000)))
        #expect(Self.checksum(csv) == 7401435406869895719)
        #expect(Self.checksum(try Self.text(.geojsonl, count: 10_000)) == 6319193952169315438)
        #expect(csv != (try Self.text(.csv, count: 10_000, seed: 2)))
        #expect(csv != (try Self.text(.csv, count: 10_000, cityCount: 29)))
    }

    @Test("a longer world begins with the shorter one", arguments: [0, 1, 4095, 4096, 4097])
    func prefix(count: UInt64) throws {
        let long = try Self.text(.csv, count: 5000)
        #expect(long.starts(with: try Self.text(.csv, count: count)))
    }

    @Test("the header names the columns, and each line has their number outside quotes")
    func csvShape() throws {
        let lines = String(decoding: try Self.text(.csv, count: 2000), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.count == 2001)
        #expect(lines[0] == "id,lon,lat,kind,weight,time,owner,title")
        var quoted = 0
        for (number, line) in lines.enumerated().dropFirst() {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            #expect(parts[0].split(separator: ",", omittingEmptySubsequences: false).count == 8)
            #expect(parts.count == 1 || (parts.count == 3 && parts[2].isEmpty))
            quoted += parts.count == 3 ? 1 : 0
            #expect(line.hasPrefix("\(number),"))
        }
        #expect(quoted > 50, "some titles must need quotes")
    }

    @Test("records lie on the globe, weigh and belong as documented", arguments: [1, 7, 3000])
    func ranges(cityCount: Int) throws {
        let world = try CityGenerator(cityCount: cityCount, seed: 5)
        var kinds: [CityKind: Int] = [:]
        var owners: [UInt32: Int] = [:]
        for index in 0..<UInt64(20_000) {
            let record = world.record(at: index)
            #expect((-180...180).contains(record.lon) && (-85...85).contains(record.lat))
            #expect((1...1000).contains(record.weight))
            #expect(record.owner < CityRecord.ownerPool)
            #expect(record.timeMilliseconds < CityGenerator.referenceMilliseconds)
            #expect(
                record.timeMilliseconds > CityGenerator.referenceMilliseconds
                    - 1100 * 86_400_000)
            #expect(!record.title.isEmpty && !record.title.utf8.contains(UInt8(ascii: "\"")))
            #expect(!record.title.contains("\\") && !record.title.contains("\n"))
            kinds[record.kind, default: 0] += 1
            owners[record.owner, default: 0] += 1
        }
        for kind in CityKind.allCases {
            let percent = Double(kinds[kind] ?? 0) / 200
            #expect(abs(percent - Double(kind.percent)) < 1.5)
        }
        #expect((owners.values.max() ?? 0) > 200, "somebody posts all the time")
        #expect(owners.values.count { $0 == 1 } > 3000, "most post once")
    }

    @Test("columns and records say the same")
    func columns() throws {
        let world = try CityGenerator(seed: 9)
        let columns = world.fill(100..<300)
        #expect(columns.count == 200)
        for offset in 0..<200 {
            let record = world.record(at: UInt64(100 + offset))
            #expect(columns.lons[offset] == record.lon && columns.lats[offset] == record.lat)
            #expect(columns.kinds[offset] == record.kind)
            #expect(columns.weights[offset] == record.weight)
            #expect(columns.timesMilliseconds[offset] == record.timeMilliseconds)
        }
        #expect(world.fill(-1).count == 0)
    }

    @Test("a number of cities that cannot be is refused", arguments: [0, -1, 10_001, Int.max])
    func cityCount(count: Int) {
        #expect(throws: CityGeneratorError.cityCount(count)) {
            try CityGenerator(cityCount: count)
        }
    }

    @Test(
        "times are written as RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_767_225_600_000, "2026-01-01T00:00:00.000Z"),
            (4_107_542_399_001, "2100-02-28T23:59:59.001Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func times(milliseconds: Int64, text: String) {
        var life = CityLife(seed: 1, startMilliseconds: milliseconds)
        let events = life.events(until: milliseconds, residentCount: 0) { (_) -> CityResident? in
            nil
        }
        guard case .create(let record)? = events.first else {
            Issue.record("an empty city begins with a post")
            return
        }
        #expect(record.time == text)
    }
}
