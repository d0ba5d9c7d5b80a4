import GeoIndex
import GeoStore
package import TileRender

/// The clusters and singles of a tile and of its buffer, before any document was read: what vector
/// tiles and GeoJSON tiles are made of.
package struct ClusterTile: Sendable, TileContent {
    /// Where its points lie on the tile.
    package let grid: VectorTileGrid
    /// Ascending by id.
    let set: ClusterSet
    let details: [ClusterDetails]
    /// Of every cluster; empty when the layer has none.
    let aggregates: [[AggregateValue]]
    /// The places in the set of the objects that stand alone.
    let singles: [Int]
    /// The hash of all that is shown but for how documents are written: of clusters their lines, of
    /// singles all their fields.
    package let hash: UInt64

    /// While the sums over these ranges stay as they are, so does the tile.
    package var dependencies: [ClosedRange<UInt64>] { self.set.dependencies }

    /// How many clusters and singles there are.
    package var count: Int { details.count }

    /// The ids of the objects that stand alone, in the order of the tile.
    package var singleIDs: [String] { singles.map { details[$0].sample.id } }

    /// Gathers the clusters of a tile.
    ///
    /// - Complexity: that of ``IndexSnapshot/clusters(in:options:filter:atMost:)`` for the tile and
    ///   its buffer, and of the details of each.
    init(
        _ tile: TileID, _ options: ClusterOptions, of fields: LayerFields,
        from snapshot: IndexSnapshot, filter: EntryFilter
    ) {
        grid = VectorTileGrid(tile: tile)
        let set = snapshot.clusters(in: grid.window, options: options, filter: filter)
        let details = (0..<set.count).map { snapshot.details(of: $0, in: set, filter: filter) }
        self.set = set
        self.details = details
        singles = set.counts.indices.filter { set.counts[$0] == 1 }
        aggregates = fields.aggregates.isEmpty ? [] : details.map { fields.values(of: $0) }
        hash = ClusterTile.hash(of: set, details, aggregates)
    }

    private static func hash(
        of set: ClusterSet, _ details: [ClusterDetails], _ aggregates: [[AggregateValue]]
    ) -> UInt64 {
        var hash = StableHash()
        for index in 0..<set.count {
            let detail = details[index]
            hash.combine(set.ids[index])
            hash.combine(UInt64(set.counts[index]))
            hash.combine(MortonKey(set.points[index]).bits)
            if set.counts[index] == 1 {
                hash.combine(bytes: detail.sample.id.utf8)
                hash.combine(detail.content)
                hash.combine(UInt64(bitPattern: detail.sampleTime))
                continue
            }
            for (kind, count) in detail.kinds {
                hash.combine(bytes: kind.utf8)
                hash.combine(UInt64(count))
            }
            for edge in [
                detail.bounds.west, detail.bounds.south, detail.bounds.east, detail.bounds.north,
            ] {
                hash.combine(edge.bitPattern)
            }
            for aggregate in aggregates.isEmpty ? [] : aggregates[index] {
                hash.combine(bytes: aggregate.name.utf8)
                hash.combine(UInt64(truncatingIfNeeded: aggregate.units))
                hash.combine(UInt64(truncatingIfNeeded: aggregate.units >> 64))
            }
        }
        return hash.value
    }

    /// Whether documents are those that the index knows: while a commit is between the store and the
    /// index, they may be newer.
    func agrees(with shown: ShownObjects) -> Bool {
        zip(singles, shown.objects).allSatisfy { details[$0].content == $1?.content }
    }
}
