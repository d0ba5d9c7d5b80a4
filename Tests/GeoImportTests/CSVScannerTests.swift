import Testing

@testable import GeoImport

@Suite("The scanner of tables")
struct CSVScannerTests {
    static func randomText(seed: Int, letters: String, count: ClosedRange<Int>) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        let alphabet = Array(letters.utf8)
        return (0..<Int.random(in: count, using: &random)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }
    }

    @Test(
        "random texts read as their naive twin reads them, however they are cut", arguments: 0..<400
    )
    func twin(seed: Int) {
        let letters = ["ab,,\"\"\n\r ", "a,\n\n\"", "\"\"\"\n,", "abcdefgh,,,,\n\"\""][seed % 4]
        let text = Self.randomText(seed: seed, letters: letters, count: 0...60)
        let expected = csvTwin(text)
        #expect(csvScan(text, cuts: .whole) == expected)
        #expect(csvScan(text, cuts: .every(1)) == expected)
        #expect(csvScan(text, cuts: .random(seed: seed)) == expected)
    }

    @Test("tables that were written come back cell by cell", arguments: 0..<64)
    func roundTrip(seed: Int) {
        var random = SeededRandom(seed: seed)
        let parts = ["a", ",", "\"", "\n", "\r\n", "é", " ", "🗼", "0", ";"]
        let table: [[String]] = (0..<12).map { _ in
            (0..<4).map { _ in
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    parts[Int.random(in: 0..<parts.count, using: &random)]
                }.joined()
            }
        }
        let end = Bool.random(using: &random) ? "\r\n" : "\n"
        let text = table.map { row in
            row.map {
                "\""
                    + $0.split(separator: "\"", omittingEmptySubsequences: false)
                    .joined(separator: "\"\"") + "\""
            }.joined(separator: ",") + end
        }.joined()
        let cells = csvScan(Array(text.utf8), cuts: .random(seed: seed)).map { record in
            record.cells.map { $0.map { String(decoding: $0, as: UTF8.self) } } ?? []
        }
        #expect(cells.map { $0.map { Array($0.utf8) } } == table.map { $0.map { Array($0.utf8) } })
    }

    @Test("the limit of a record does not depend on how it is cut", arguments: 0..<200)
    func limits(seed: Int) {
        let text = Self.randomText(seed: seed, letters: "abc,\n\"", count: 0...120)
        let whole = csvScan(text, cuts: .whole, byteLimit: 12)
        #expect(csvScan(text, cuts: .every(1), byteLimit: 12) == whole)
        #expect(csvScan(text, cuts: .random(seed: seed), byteLimit: 12) == whole)
        #expect(csvScan(text, cuts: .every(7), byteLimit: 12) == whole)
    }

    @Test("a record that is too long is one rejection, and the next is read")
    func tooLong() {
        let text = "a,b\n" + String(repeating: "x", count: 40) + "\nc,d\n"
        let records = csvScan(Array(text.utf8), cuts: .every(5), byteLimit: 20)
        #expect(records.map(\.line) == [1, 2, 3])
        #expect(records[1].reason == .tooLong(limitBytes: 20))
        #expect(records[2].cells == [Array("c".utf8), Array("d".utf8)])
    }

    @Test("a quote that is never closed costs one line, not the rest of the file")
    func unclosed() {
        let rows = (0..<2000).map { "\($0),x" }
        let text = "1,\"open\n" + rows.joined(separator: "\n")
        for limit in [64, 1000, 1 << 20] {
            let records = csvScan(Array(text.utf8), cuts: .every(50), byteLimit: limit)
            #expect(records.count == 2001)
            #expect(records[0].reason == .unclosedQuote && records[0].line == 1)
            #expect(records.dropFirst().allSatisfy { $0.cells?.count == 2 })
            #expect(records.last?.line == 2001)
        }
    }
}
