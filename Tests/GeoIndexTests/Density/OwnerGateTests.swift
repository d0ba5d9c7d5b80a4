import TestSupport
import Testing

@testable import GeoIndex

struct OwnerGateTests {
    @Test("a cell is open with enough distinct owners", arguments: 0..<24)
    func twin(seed: Int) {
        var random = SeededGenerator(seed: seed)
        let needed = [1, 2, 3, 16, 17, 40][seed % 6]
        let level: UInt8 = 3
        let entries = (0..<600).map { _ in
            (
                key: UInt64.random(in: 0...UInt64.max, using: &random),
                owner: UInt64.random(in: 0...UInt64(2 * needed), using: &random)
            )
        }.sorted { $0.key < $1.key }
        var gate = OwnerGate(needed: needed, level: level)
        for (index, entry) in entries.enumerated() {
            let isNew = index == 0 || entries[index - 1].key >> 58 != entry.key >> 58
            #expect(gate.isNewCell(entry.key) == isNew)
            if isNew {
                gate.enterCell(of: entry.key)
                #expect(!gate.isOpen)
            }
            gate.count(owner: entry.owner)
            let owners = Set(
                entries[...index].filter { $0.key >> 58 == entry.key >> 58 }.map(\.owner)
            )
            .subtracting([0])
            #expect(gate.isOpen == (owners.count >= needed))
        }
    }
}
