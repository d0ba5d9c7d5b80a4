import GeoStore
import TestSupport
import Testing

@testable import GeoService

@Suite struct ColumnTableTests {
    @Test(
        "a table is a dictionary, and a copy keeps what it had", arguments: 0..<16 as Range<UInt64>)
    func twin(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = ColumnTable()
        var twin: [UInt64: Double] = [:]
        var copies: [(ColumnTable, [UInt64: Double])] = []
        for step in 0..<6_000 {
            let key = UInt64.random(in: 1...2_000, using: &random) << 40
            let value = Double(step)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                table.remove(key)
                twin[key] = nil
            case 1:
                table.set(key, .number(value), keepsOlder: true)
                if twin[key] == nil { twin[key] = value }
            default:
                table.set(key, .number(value))
                twin[key] = value
            }
            if step % 1_000 == 999 { copies.append((table, twin)) }
        }
        for (table, twin) in copies + [(table, twin)] {
            #expect(table.count == twin.count)
            #expect(table.bytes == twin.count * ColumnTable.entryBytes)
            for number in 1...2_000 {
                let key = UInt64(number) << 40
                #expect(table[key] == twin[key].map { .number($0) })
            }
        }
    }

    @Test("verdicts are kept")
    func verdicts() {
        var table = VerdictTable()
        for key in 1...5_000 as ClosedRange<UInt64> { table.insert(key << 8, key % 3 == 0) }
        #expect(table.count == 5_000)
        for key in 1...5_000 as ClosedRange<UInt64> { #expect(table[key << 8] == (key % 3 == 0)) }
        #expect(table[7] == nil)
    }
}
