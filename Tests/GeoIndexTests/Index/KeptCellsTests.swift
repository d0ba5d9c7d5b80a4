import GeoIndex
import TestSupport
import Testing

@testable import GeoIndex

/// Cells that nodes keep, some changes behind: whoever asks, and whenever, gets those of his state.
struct KeptCellsTests {
    static let shapes: [Shape] = [.city, .antimeridian, .poles, .duplicates]

    @Test("states that are asked early, late or never go on to right cells", arguments: 0..<8)
    func catchingUp(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let shape = Self.shapes[seed % Self.shapes.count]
        var positions = shape.positions(count: 20_000, seed: seed)
        let layer = LayerIndex(try index(of: positions))
        // Late: these are asked when others have gone on from them.
        var late: [IndexSnapshot] = []
        for step in 0..<400 {
            let size = Int.random(in: 0..<20, using: &random) == 0 ? 60 : 1
            let edits = (0..<size).map { _ in
                let object = Int.random(in: positions.indices, using: &random)
                positions[object] = positions.randomElement(using: &random) ?? positions[object]
                return ObjectEdit.put("\(object)", positions[object])
            }
            try layer.apply(edits)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<3: #expect(layer.current.brokenInvariant() == nil, "step \(step)")
            case 3..<6: late.append(layer.current)
            case 6..<20: _ = cells(of: layer.current, level: .random(in: 1...12, using: &random))
            default: break
            }
        }
        let fresh = try index(of: positions)
        for level in 0...UInt8(16) {
            #expect(cells(of: layer.current, level: level) == cells(of: fresh, level: level))
        }
        for snapshot in late.shuffled(using: &random) {
            #expect(snapshot.brokenInvariant() == nil)
        }
        #expect(layer.current.brokenInvariant() == nil)
    }

    @Test("cells that are caught up are counted once they are there")
    func bytes() throws {
        let positions = Shape.city.positions(count: 20_000, seed: 3)
        let layer = LayerIndex(try index(of: positions))
        let built = layer.current.bytes
        try layer.apply([.put("5", positions[6])])
        let behind = layer.current.bytes
        #expect(behind.cells > built.cells && behind.cells < built.cells + 1_000)
        _ = cells(of: layer.current, level: 6)
        let caughtUp = layer.current.bytes
        #expect(caughtUp.cells > behind.cells + 1_000)
        #expect(caughtUp.tree - behind.tree == caughtUp.cells - behind.cells)
    }

    @Test("counts of kinds follow what comes and goes", arguments: 0..<16)
    func kinds(seed: Int) {
        var random = SeededRandom(seed: seed)
        var living: [UInt16] = (0..<50).map { _ in .random(in: 0...9, using: &random) }
        var counts = counted(living)
        for _ in 0..<50 {
            var deltas: [EntryDelta] = []
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                let isAdded = living.isEmpty || Bool.random(using: &random)
                let kind: UInt16
                if isAdded {
                    kind = .random(in: 0...9, using: &random)
                    living.append(kind)
                } else {
                    kind = living.remove(at: .random(in: living.indices, using: &random))
                }
                deltas.append(
                    EntryDelta(key: 0, x: 0, y: 0, weight: 0, kind: kind, isAdded: isAdded))
            }
            counts = KindCount.changing(counts, by: deltas[...])
            #expect(counts == counted(living))
        }
    }

    private func counted(_ kinds: [UInt16]) -> [KindCount] {
        var counter = KindCounter()
        counter.add(kinds.span)
        return counter.counts
    }

    private func cells(of snapshot: IndexSnapshot, level: UInt8) -> [CellRun] {
        var runs = CellRuns()
        let last = level == 0 ? 0 : UInt64.max >> (64 - 2 * UInt64(level))
        snapshot.appendCells(level: level, from: 0, through: last, filter: nil, to: &runs)
        return runs.runs
    }
}
