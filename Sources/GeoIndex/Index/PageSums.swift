/// The sums of a page's entries, made in one pass over its columns.
struct PageSums {
    var summary = NodeSummary()
    var shapeBlocks: [UInt64] = []
    var kindCounts: [KindCount] = []

    /// - Parameter cells: The kept cells of the same entries, whose points they have summed up.
    init(of columns: borrowing EntryColumns, cells: CellPyramid, kindHashes: [UInt64]) {
        let hashes = kindHashes.span
        let keys = columns.keys.span
        let objects = columns.objects.span
        let lonE7 = columns.lonE7.span
        let latE7 = columns.latE7.span
        let kinds = columns.kinds.span
        let weights = columns.weights.span
        let times = columns.times.span
        let contents = columns.contents.span
        var sum = NodeSummary()
        var blocks: [UInt64] = []
        sum.count = keys.count
        blocks.reserveCapacity(keys.count / LeafPage.blockSize + 1)
        var block: UInt64 = 0
        for index in keys.indices {
            sum.weight += UInt64(weights[index])
            sum.content &+= contents[index]  // a sum modulo 2^64 by definition
            let lon = lonE7[index] == 1_800_000_000 ? -1_800_000_000 : lonE7[index]
            sum.west = min(sum.west, lon)
            sum.east = max(sum.east, lon)
            sum.south = min(sum.south, latE7[index])
            sum.north = max(sum.north, latE7[index])
            sum.earliest = min(sum.earliest, times[index])
            sum.latest = max(sum.latest, times[index])
            sum.kinds |= 1 << UInt64(kinds[index] & 63)
            block &+= IndexEntry.shape(
                object: objects[index], lonE7: lonE7[index], latE7: latE7[index],
                kindHash: hashes[Int(kinds[index])], weight: weights[index], time: times[index])
            if index % LeafPage.blockSize == LeafPage.blockSize - 1 {
                blocks.append(block)
                sum.shape &+= block
                block = 0
            }
        }
        if keys.count % LeafPage.blockSize != 0 {
            blocks.append(block)
            sum.shape &+= block
        }
        if let kept = cells.levels.last {
            for run in kept.runs {
                sum.sumX += run.sumX
                sum.sumY += run.sumY
            }
        } else {
            for index in keys.indices {
                sum.sumX += UInt64(MortonKey.compact(keys[index]))
                sum.sumY += UInt64(MortonKey.compact(keys[index] >> 1))
            }
        }
        summary = sum
        shapeBlocks = blocks
        kindCounts = KindCount.counting(kinds)
    }
}
