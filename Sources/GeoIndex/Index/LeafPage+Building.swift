extension LeafPage {
    /// Creates a page of entries of a batch, in a given order.
    ///
    /// - Precondition: there is at least one, and they ascend by key and object.
    convenience init(
        _ batch: borrowing EntryBatch, _ order: ArraySlice<UInt32>, _ context: PageContext
    ) {
        precondition(!order.isEmpty, "a page holds at least one entry")
        let layout = PageLayout(batch, order)
        let block = unsafe PageBlocks.shared.take(layout.bytes)
        var filler = unsafe PageFiller(block, layout)
        let summary = filler.fill(batch, order, context)
        unsafe self.init(
            block, layout, groups: filler.fillGroups(), summary: summary,
            generation: context.generation)
    }
}

extension PageLayout {
    /// The layout for some entries of a batch.
    init(_ batch: borrowing EntryBatch, _ order: ArraySlice<UInt32>) {
        // Most layers need no optional column.
        if !batch.hasEastEnd && batch.expires.isEmpty && batch.owners.isEmpty
            && batch.values.isEmpty
        {
            self.init(
                count: order.count, hasExpiries: false, hasOwners: false, hasEastEnd: false,
                fields: 0)
            return
        }
        let fields = batch.fields
        let entries = batch.entries.span
        let expires = batch.expires.span
        let owners = batch.owners.span
        let values = batch.values.span
        var hasExpiries = false
        var hasOwners = false
        var hasValues = false
        var hasEastEnd = false
        for place in order {
            let index = Int(place)
            if entries[index].isEastEnd { hasEastEnd = true }
            if !expires.isEmpty && expires[index] != .max { hasExpiries = true }
            if !owners.isEmpty && owners[index] != 0 { hasOwners = true }
            if !values.isEmpty && !hasValues {
                for field in 0..<fields
                where values[index * fields + field] != EntryBatch.noValue { hasValues = true }
            }
        }
        self.init(
            count: order.count, hasExpiries: hasExpiries, hasOwners: hasOwners,
            hasEastEnd: hasEastEnd, fields: hasValues ? fields : 0)
    }
}

/// Writes the columns of a page that is being made.
@safe struct PageFiller {
    private let block: UnsafeMutableRawPointer
    let layout: PageLayout

    /// - Precondition: the block has the layout's size.
    init(_ block: UnsafeMutableRawPointer, _ layout: PageLayout) {
        unsafe self.block = block
        self.layout = layout
    }

    /// A column that is being written. The layout keeps it within the block.
    func column<Element: BitwiseCopyable>(_ offset: Int, of type: Element.Type)
        -> UnsafeMutablePointer<Element>
    {
        unsafe (block + offset).bindMemory(to: type, capacity: layout.count)
    }

    /// Writes entries of a batch in order and sums them up.
    mutating func fill(
        _ batch: borrowing EntryBatch, _ order: ArraySlice<UInt32>, _ context: PageContext
    ) -> NodeSummary {
        let source = batch.entries.span
        // Collected first, in a loop so short that the processor has many of the records, which
        // are all over the batch, on their way at once.
        var sum = unsafe withUnsafeTemporaryAllocation(of: IndexEntry.self, capacity: order.count) {
            entries in
            var index = 0
            for place in order {
                unsafe entries.initializeElement(at: index, to: source[Int(place)])
                index &+= 1
            }
            let filled = UnsafeBufferPointer(entries)
            return unsafe fill(filled.span, context)
        }
        fillOptional(batch, order)
        if layout.hasExpiries {
            for place in order { sum.expires = min(sum.expires, batch.expires[Int(place)]) }
        }
        return sum
    }

    /// Writes the columns that all pages have; as many entries as the layout has.
    private func fill(_ entries: Span<IndexEntry>, _ context: PageContext) -> NodeSummary {
        let hashes = context.kindHashes.span
        let objects = unsafe column(layout.objects, of: UInt64.self)
        let times = unsafe column(layout.times, of: Int64.self)
        let contents = unsafe column(layout.contents, of: UInt64.self)
        let xs = unsafe column(layout.xs, of: UInt32.self)
        let ys = unsafe column(layout.ys, of: UInt32.self)
        let lats = unsafe column(layout.lats, of: Int32.self)
        let weights = unsafe column(layout.weights, of: UInt32.self)
        let kinds = unsafe column(layout.kinds, of: UInt16.self)
        var sum = NodeSummary()
        for index in entries.indices {
            let entry = entries[index]
            let x = MortonKey.compact(entry.key)
            let y = MortonKey.compact(entry.key >> 1)
            // In range: `index` is below the layout's count.
            unsafe objects[index] = entry.object
            unsafe times[index] = entry.time
            unsafe contents[index] = entry.content
            unsafe xs[index] = x
            unsafe ys[index] = y
            unsafe lats[index] = entry.latE7
            unsafe weights[index] = entry.weight
            unsafe kinds[index] = entry.kind
            sum.add(entry, x: x, y: y, kindHash: hashes[Int(entry.kind)])
        }
        return sum
    }

    /// Writes the boxes of what is written, and gives what they are counted from.
    func fillGroups() -> PageGroups.Head {
        let xs = unsafe column(layout.xs, of: UInt32.self)
        let lats = unsafe column(layout.lats, of: Int32.self)
        return unsafe PageGroups.write(to: block, xs: xs, lats: lats, count: layout.count)
    }

    private func fillOptional(_ batch: borrowing EntryBatch, _ order: ArraySlice<UInt32>) {
        if layout.hasExpiries {
            let target = unsafe column(layout.expiries, of: Int64.self)
            for (index, place) in order.enumerated() {
                unsafe target[index] = batch.expires[Int(place)]
            }
        }
        if layout.hasOwners {
            let target = unsafe column(layout.owners, of: UInt64.self)
            for (index, place) in order.enumerated() {
                unsafe target[index] = batch.owners[Int(place)]
            }
        }
        for field in 0..<layout.fields {
            let target = unsafe column(
                layout.values + 8 * layout.count * field, of: Int64.self)
            for (index, place) in order.enumerated() {
                unsafe target[index] = batch.values[Int(place) * batch.fields + field]
            }
        }
        if layout.hasEastEnd {
            let target = unsafe column(layout.eastEnds, of: UInt8.self)
            for (index, place) in order.enumerated() {
                unsafe target[index] = batch.entries[Int(place)].isEastEnd ? 1 : 0
            }
        }
    }
}
