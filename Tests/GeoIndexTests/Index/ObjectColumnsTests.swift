import TestSupport
import Testing

@testable import GeoIndex

/// Objects in columns make the index that the same objects make one by one.
struct ObjectColumnsTests {
    private struct Objects {
        var ids: [String]
        var placements: [Placement]

        init(_ shape: Shape, count: Int, hasExtras: Bool, seed: Int) {
            var random = SeededRandom(seed: seed)
            placements = shape.positions(count: count, seed: seed).map { position in
                var placement = Placement(
                    position: position, kind: [nil, "a", "b"].randomElement(using: &random) ?? nil,
                    weight: Double(UInt32.random(in: 0...(1 << 31), using: &random)) / 256,
                    time: .random(in: -99...99, using: &random), content: random.next())
                if hasExtras && Bool.random(using: &random) {
                    placement.expires = .random(in: 1...50, using: &random)
                    placement.owner = .random(in: 0...9, using: &random)
                    placement.values = [nil, .random(in: -9...9, using: &random)]
                }
                return placement
            }
            // Longitude +180° shares its column with -180°: a column of its own tells them apart.
            for index in stride(from: 17, to: count, by: 997) {
                placements[index].position = RoundedPosition(
                    lonE7: index % 2 == 0 ? 1_800_000_000 : -1_800_000_000,
                    latE7: placements[index].position.latE7)
            }
            ids = (0..<count).shuffled(using: &random).map { "\($0)" }
        }

        func columns(_ range: Range<Int>, _ table: IDTable, hasExtras: Bool) throws
            -> ObjectColumns
        {
            var columns = ObjectColumns()
            columns.kindNames = ["b", "", "a"]
            for index in range {
                let placement = placements[index]
                columns.objects.append(try table.key(for: ids[index]))
                columns.lonE7.append(placement.position.lonE7)
                columns.latE7.append(placement.position.latE7)
                let kind = columns.kindNames.firstIndex(of: placement.kind ?? "") ?? 0
                columns.kinds.append(UInt16(kind))
                columns.weights.append(Weight.units(of: placement.weight))
                columns.times.append(placement.time)
                columns.contents.append(placement.content)
                guard hasExtras else { continue }
                columns.expires.append(placement.expires ?? .max)
                columns.owners.append(placement.owner)
                let values = placement.values.isEmpty ? [nil, nil] : placement.values
                columns.values += values.map { $0 ?? .min }
            }
            return columns
        }
    }

    // From 24,577 objects on, columns are dealt into parts while they are taken in.
    @Test(
        "columns are objects side by side",
        arguments: [
            (Shape.city, 30_000, false), (.antimeridian, 25_000, false),
            (.duplicates, 26_000, false),
            (.city, 26_000, true), (.world, 700, false), (.world, 0, true),
        ])
    func sameIndex(shape: Shape, count: Int, hasExtras: Bool) throws {
        let objects = Objects(shape, count: count, hasExtras: hasExtras, seed: count)
        var oneByOne = BulkBuilder(aggregatedFields: 2)
        for index in 0..<count {
            try oneByOne.add(id: objects.ids[index], objects.placements[index])
        }
        let expected = ExpiryTests.rows(oneByOne.build())
        // All at once; in two parts; the last ones by themselves.
        for cut in [0, count / 3, count - min(count, 9)] {
            for endsWithColumns in [true, false] {
                let table = IDTable()
                var builder = BulkBuilder(ids: table, aggregatedFields: 2)
                builder.add(try objects.columns(0..<cut, table, hasExtras: hasExtras))
                if endsWithColumns {
                    builder.add(try objects.columns(cut..<count, table, hasExtras: hasExtras))
                } else {
                    for index in cut..<count {
                        try builder.add(id: objects.ids[index], objects.placements[index])
                    }
                }
                let snapshot = builder.build()
                #expect(snapshot.brokenInvariant() == nil)
                #expect(ExpiryTests.rows(snapshot) == expected)
                let squares = objects.placements.reduce(UInt128(0)) {
                    let units = UInt128(Weight.units(of: $1.weight))
                    return $0 + units * units
                }
                #expect(snapshot.summary.weightSquares == squares)
            }
        }
    }
}
