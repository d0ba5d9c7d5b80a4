import TestSupport
import Testing

@testable import GeoIndex

/// One object, as the twin has it.
private struct Item {
    var id: String
    var position: RoundedPosition
    var owner: UInt64
    var hour: Int64
    var weight: Double

    var placement: Placement {
        Placement(
            position: position, weight: weight, time: hour * 3_600_000 + 1_234, content: 1,
            owner: owner)
    }

    func cell(_ level: UInt8) -> UInt64 {
        MortonKey(WorldPoint(position)).bits >> (64 - 2 * UInt64(level))
    }
}

/// Shares by the definition, with their members.
private func twin(_ items: [Item], level: UInt8, minOwners: Int) -> [(HeatShare, [Item])] {
    var pool = items.filter { $0.weight > 0 }
    var shares: [(HeatShare, [Item])] = []
    for next in stride(from: HeatProtection.finestLevel, through: level, by: -1) {
        var rest: [Item] = []
        for (cell, members) in Dictionary(grouping: pool, by: { $0.cell(next) }) {
            var open: [Item] = []
            let hours = Set(members.map(\.hour)).sorted(by: >)
            for hour in hours {
                open += members.filter { $0.hour == hour }
                guard Set(open.map(\.owner)).subtracting([0]).count >= minOwners else { continue }
                let share = HeatShare(
                    level: next, key: cell, hours: hour...(open.map(\.hour).max() ?? hour),
                    weight: open.reduce(0) { $0 + UInt64($1.weight * 256) }, count: open.count)
                shares.append((share, open))
                open = []
            }
            rest += open
        }
        pool = rest
    }
    return shares
}

/// Objects in a few clumps of all sizes.
private func items(seed: Int, count: Int, owners: UInt64) -> [Item] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { number in
        let reach = pow2(Int.random(in: 2...27, using: &random))
        return Item(
            id: "o\(number)",
            position: RoundedPosition(
                lonE7: 134_050_000 + Int32.random(in: -reach...reach, using: &random),
                latE7: 525_200_000 + Int32.random(in: -reach...reach, using: &random) / 2),
            owner: UInt64.random(in: 0...owners, using: &random),
            hour: 400_000 + Int64.random(in: -2...5, using: &random),
            weight: [0, 1, 1, 2][Int.random(in: 0..<4, using: &random)])
    }
}

private func pow2(_ exponent: Int) -> Int32 { 1 << Int32(exponent) }

private func snapshot(_ items: [Item]) throws -> IndexSnapshot {
    var builder = BulkBuilder()
    for item in items { try builder.add(id: item.id, item.placement) }
    return builder.build()
}

@Suite("What may be told of heat")
struct HeatSharesTests {
    @Test("shares are those of the definition, each of enough owners", arguments: 0..<12)
    func shares(seed: Int) throws {
        let minOwners = [3, 4, 18][seed % 3]
        let items = items(seed: seed, count: 400, owners: seed % 2 == 0 ? 6 : 60)
        let index = try snapshot(items)
        for level: UInt8 in [4, 11, 17, 20] {
            let expected = twin(items, level: level, minOwners: minOwners)
            for (_, members) in expected {
                #expect(Set(members.map(\.owner)).subtracting([0]).count >= minOwners)
            }
            let ids = expected.flatMap { $0.1.map(\.id) }
            #expect(Set(ids).count == ids.count, "no object is in two")
            let found = index.heatShares(in: .world, level: level, minOwners: minOwners)
            #expect(Set(found) == Set(expected.map(\.0)) && found.count == expected.count)
        }
        // What a coarse cell shows is made of the shares that finer cells show.
        let coarse = index.heatShares(in: .world, level: 4, minOwners: minOwners)
        let fine = index.heatShares(in: .world, level: 15, minOwners: minOwners)
        #expect(Set(coarse.filter { $0.level >= 15 }) == Set(fine))
    }

    @Test("a cell shows something when, and only when, it has enough owners", arguments: 0..<6)
    func cells(seed: Int) throws {
        let items = items(seed: seed, count: 500, owners: 9)
        let index = try snapshot(items)
        let protection = HeatProtection(minOwners: 3, nowMilliseconds: 0)
        for zoom: UInt8 in [0, 3, 8, 12, 16, 22] {
            let level = HeatProtection.level(zoom: zoom)
            let groups = Dictionary(grouping: items.filter { $0.weight > 0 }) { $0.cell(level) }
            let enough = groups.filter { Set($0.value.map(\.owner)).subtracting([0]).count >= 3 }
            let found = index.protectedCells(in: .world, zoom: zoom, protection)
            #expect(found.map(\.key) == enough.keys.sorted())
            #expect(found.allSatisfy { $0.count >= 3 && $0.weight > 0 })
        }
    }

    @Test("one person in a cell of fewer than enough changes nothing there", arguments: 0..<8)
    func loneWrites(seed: Int) throws {
        let before = items(seed: seed, count: 300, owners: 8)
        let protection = HeatProtection(minOwners: 3, nowMilliseconds: 0)
        let index = try snapshot(before)
        for (number, extra) in items(seed: 100 + seed, count: 20, owners: 8).enumerated() {
            var extra = extra
            extra.id = "extra\(number)"
            let after = try snapshot(before + [extra])
            for zoom: UInt8 in [2, 9, 14, 19] {
                let level = HeatProtection.level(zoom: zoom)
                let owners = Set(
                    (before + [extra]).filter {
                        $0.cell(level) == extra.cell(level) && $0.weight > 0
                    }.map(\.owner)
                ).subtracting([0])
                guard owners.count < 3 else { continue }
                #expect(
                    index.protectedCells(in: .world, zoom: zoom, protection)
                        == after.protectedCells(in: .world, zoom: zoom, protection))
            }
        }
    }

    @Test("a window has the shares that lie in it whole, faded by their last hour")
    func windows() throws {
        let items = items(seed: 3, count: 500, owners: 9)
        let index = try snapshot(items)
        let expected = twin(items, level: 12, minOwners: 3).map(\.0)
        let now: Int64 = 400_004
        for (since, until) in [(nil, nil), (400_001, nil), (nil, 400_002), (399_999, 400_003)]
            as [(Int64?, Int64?)]
        {
            let protection = HeatProtection(
                minOwners: 3, sinceHour: since, untilHour: until, halfLifeHours: 2,
                nowMilliseconds: now * 3_600_000 + 77)
            let asked = expected.filter {
                $0.hours.lowerBound >= since ?? .min && $0.hours.upperBound < until ?? .max
            }
            var weights: [UInt64: UInt64] = [:]
            for share in asked {
                let age = max(0, now - share.hours.upperBound)
                let faded = [
                    1.0, 0.5.squareRoot(), 0.5, 0.125.squareRoot(), 0.25, 1 / 32.0.squareRoot(),
                    0.125,
                ]
                let cell = share.key >> (2 * UInt64(share.level - 12))
                weights[cell, default: 0] += UInt64(
                    (Double(share.weight) * faded[Int(age)]).rounded())
            }
            let found = index.protectedCells(in: .world, zoom: 8, protection)
            #expect(found.map(\.key) == weights.keys.sorted())
            for cell in found {
                let weight = Double(weights[cell.key] ?? 0)
                // A share's factor is right to 0.017 % (see TimeDecay), its rounding to a unit.
                #expect(abs(Double(cell.weight) - weight) <= weight * 0.0002 + 20)
            }
            #expect(found.reduce(0) { $0 + $1.count } == asked.reduce(0) { $0 + $1.count })
        }
    }

    @Test("a weight is spread evenly, and none of it is lost", arguments: [1, 2])
    func spreading(scale: Int) throws {
        let tile = try TileID(zoom: 3, x: 4, y: 2)
        let window = PixelWindow(tile: tile, scale: scale)
        let side = 16 * scale
        for weight: UInt64 in [1, 255, 256, 768, 1_000_003] {
            var grid = DensityGrid(window: window, marginPixels: 20)
            let (column, row) = (window.originX + 2 * side, window.originY + 3 * side)
            grid.spread(weight, column: column, row: row, side: side)
            #expect(grid.cells.reduce(0) { $0 + UInt64($1) } == weight)
            let touched = (0..<side * side).map { number -> UInt64 in
                let x = 20 + 2 * side + number % side
                let y = 20 + 3 * side + number / side
                return UInt64(grid.cells[y * grid.columns + x])
            }
            #expect(touched.reduce(0, +) == weight)
            #expect((touched.max() ?? 0) - (touched.min() ?? 0) <= 1)
        }
        // Half a cell in the margin, the other half outside, across 180°.
        var edge = DensityGrid(
            window: PixelWindow(tile: try TileID(zoom: 0, x: 0, y: 0), scale: scale),
            marginPixels: 8)
        edge.spread(256 * UInt64(side), column: 0, row: 0, side: side)
        let once = 256 * UInt64(side)
        let repeated = edge.cells.reduce(0) { $0 + UInt64($1) }
        #expect(repeated == once + once * 8 / UInt64(side))
    }
}
