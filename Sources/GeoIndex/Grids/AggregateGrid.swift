/// A grid that objects are counted on.
public enum AggregateGrid: Sendable, Hashable {
    /// Geohashes of 1 to 12 symbols.
    case geohash(precision: Int)
    /// Tiles of a zoom.
    case geotile(zoom: UInt8)
}

/// A cell of a grid and what lies in it.
public struct GridBucket: Sendable, Hashable {
    /// The cell's name: a geohash, or `zoom/x/y`.
    public let key: String
    /// Objects in the cell.
    public let count: Int
    /// The mean of their places, rounded to 1e-7°. On geohashes longitudes and latitudes are
    /// averaged, longitude 180 as -180; on tiles the places on the Web Mercator plane are, where
    /// what lies beyond ±85.0511° lies on the edge. It lies in the cell.
    public let centroid: RoundedPosition
}

/// More cells are occupied than were asked for.
public struct TooManyBuckets: Error, Equatable, Sendable {
    /// The most that were asked for.
    public let limit: Int
}

extension IndexSnapshot {
    /// The deepest zoom whose occupied cells are taken all at once before they are counted: 4^10 of
    /// them are 40 MB. Deeper, a client could have as many made as there are objects.
    private static let wholeGridZoom: UInt8 = 10

    /// Counts the objects of a box by the cells of a grid; cells without any are left out.
    ///
    /// - Parameters:
    ///   - box: Edges in; nil counts all objects.
    ///   - limit: The most buckets.
    /// - Returns: Geohashes in the order of their text, tiles along the Z-curve.
    /// - Throws: ``TooManyBuckets``.
    /// - Complexity: O(cells) for tiles of all objects up to zoom 10; else O(nodes that lie in one
    ///   cell + entries of the other pages), and no more than `limit` cells in memory. Geohashes also
    ///   read the latitudes of all pages.
    public func buckets(
        of grid: AggregateGrid, in box: BoundingBox? = nil, limit: Int, filter: EntryFilter = .all
    ) throws(TooManyBuckets) -> [GridBucket] {
        switch grid {
        case .geotile(let zoom):
            precondition(zoom <= TileID.maxZoom, "zoom \(zoom) is past \(TileID.maxZoom)")
            if box == nil && filter.keepsAll && zoom <= IndexSnapshot.wholeGridZoom {
                // Every cell at once, from the sums that nodes keep.
                var runs = CellRuns()
                appendCells(
                    level: zoom, from: 0,
                    through: QuadCell(level: 0, key: 0).keys.upperBound
                        >> (64 - 2 * UInt64(zoom)), filter: nil, to: &runs)
                guard runs.count <= limit else { throw TooManyBuckets(limit: limit) }
                return runs.runs.map { TileFold.bucket(of: $0, zoom: zoom) }
            }
            var fold = TileFold(zoom: zoom, limit: limit)
            visit(.box(box ?? .world), filter: filter, &fold)
            guard fold.sums.count <= limit else { throw TooManyBuckets(limit: limit) }
            return fold.sums.sorted.map { fold.bucket(of: $0) }
        case .geohash(let precision):
            precondition((1...Geohash.maxPrecision).contains(precision), "precision \(precision)")
            var fold = GeohashFold(precision: precision, limit: limit)
            visit(.box(box ?? .world), filter: filter, &fold)
            guard fold.sums.count <= limit else { throw TooManyBuckets(limit: limit) }
            return fold.sums.sorted.map { fold.bucket(of: $0) }
        }
    }
}
