import GeoIndex
import TestSupport
import Testing

struct AggregateTests {
    @Test("the aggregates of clusters are those of their members", arguments: 0..<6)
    func ofClusters(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var world = EditedWorld(
            shape: [.city, .world, .antimeridian][seed % 3], seed: seed, hasExtras: true)
        let layer = LayerIndex(BulkBuilder(aggregatedFields: 2).build())
        for _ in 0..<30 { try layer.apply(world.batch(of: 150, using: &random)) }
        let snapshot = layer.current
        let filters = [
            EntryFilter.all, EntryFilter(since: -1_000), EntryFilter(kinds: ["kind20"]),
        ]
        for (number, filter) in filters.enumerated() {
            let kept = world.objects.filter {
                filter.kinds?.contains($0.value.kind ?? "") ?? true
                    && $0.value.time >= filter.since ?? .min
            }
            for zoom in [0, 2, 6, 11, 16] {
                let set = snapshot.clusters(
                    in: .world, options: try ClusterOptions(zoom: zoom), filter: filter)
                var total = [AggregateSum(), AggregateSum()]
                for index in set.counts.indices {
                    let details = snapshot.details(of: index, in: set, filter: filter)
                    for field in 0..<2 {
                        let sum = details.aggregates[field]
                        total[field].count += sum.count
                        total[field].sum += sum.sum
                        total[field].min = min(total[field].min, sum.min)
                        total[field].max = max(total[field].max, sum.max)
                    }
                }
                for field in 0..<2 {
                    let values = kept.values.compactMap { placement in
                        field < placement.values.count ? placement.values[field] : nil
                    }
                    #expect(total[field].count == values.count, "filter \(number) zoom \(zoom)")
                    #expect(total[field].sum == values.reduce(Int128(0)) { $0 + Int128($1) })
                    #expect(total[field].min == values.min() ?? .max)
                    #expect(total[field].max == values.max() ?? .min)
                }
                if set.counts.count == 1 && number == 0 { #expect(set.counts[0] == kept.count) }
            }
        }
    }
}
