/// What becomes of a page: runs of its entries that stay, and entries that come between them.
struct PageEdit {
    /// Entries in the order of the new page.
    enum Step {
        /// Entries of the old page.
        case keep(Range<Int>)
        /// The entry that comes with this number.
        case put(Int)
    }

    let page: LeafPage
    private(set) var steps: [Step] = []
    private(set) var removed: [Int] = []
    /// Entries of the new page.
    private(set) var count = 0
    /// The old entries that were decided on.
    private(set) var done = 0

    init(_ page: LeafPage) { self.page = page }

    /// Keeps the old entries from the first undecided one up to another.
    mutating func keep(upTo end: Int) {
        guard end > done else { return }
        steps.append(.keep(done..<end))
        count += end - done
        done = end
    }

    /// Leaves out the next old entry.
    mutating func remove(_ index: Int) {
        removed.append(index)
        done = index + 1
    }

    mutating func put(_ entry: Int) {
        steps.append(.put(entry))
        count += 1
    }

    /// All entries of the new page.
    func batch(_ added: EntryBatch) -> EntryBatch {
        var batch = EntryBatch(fields: added.fields)
        batch.reserve(count)
        for step in steps {
            switch step {
            case .keep(let range): batch.append(page, range)
            case .put(let entry): batch.append(added, entry)
            }
        }
        return batch
    }
}

extension LeafPage {
    /// The page after an edit: runs of the old columns are copied, the sums changed by what came
    /// and went.
    ///
    /// Optional columns of the old page stay, also when nothing needs them any more, until the
    /// page splits or is joined.
    ///
    /// - Precondition: something is left, and it fits in a page.
    convenience init(_ edit: PageEdit, _ added: EntryBatch, _ context: PageContext) {
        let layout = PageLayout(edit, added)
        let block = unsafe PageBlocks.shared.take(layout.bytes)
        let filler = unsafe PageFiller(block, layout)
        filler.fill(edit, added)
        let groups = filler.fillGroups()
        let sum = edit.page.summary.changed(by: edit, added, context, filler)
        unsafe self.init(
            block, layout, groups: groups, summary: sum, generation: context.generation)
    }
}

extension PageLayout {
    /// The old page's layout with what the entries that come need.
    init(_ edit: PageEdit, _ added: EntryBatch) {
        let old = edit.page.layout
        var (hasExpiries, hasOwners) = (old.hasExpiries, old.hasOwners)
        var (hasEastEnd, hasValues) = (old.hasEastEnd, old.fields > 0)
        for case .put(let entry) in edit.steps {
            if added.entries[entry].isEastEnd { hasEastEnd = true }
            if !added.expires.isEmpty && added.expires[entry] != .max { hasExpiries = true }
            if !added.owners.isEmpty && added.owners[entry] != 0 { hasOwners = true }
            if added.hasValues(entry) { hasValues = true }
        }
        self.init(
            count: edit.count, hasExpiries: hasExpiries, hasOwners: hasOwners,
            hasEastEnd: hasEastEnd, fields: hasValues ? added.fields : 0)
    }
}

extension PageFiller {
    /// Copies what stays and writes what comes, column by column.
    func fill(_ edit: PageEdit, _ added: EntryBatch) {
        let old = edit.page.layout
        copy(edit, from: old.objects, to: layout.objects) { added.entries[$0].object }
        copy(edit, from: old.times, to: layout.times) { added.entries[$0].time }
        copy(edit, from: old.contents, to: layout.contents) { added.entries[$0].content }
        copy(edit, from: old.xs, to: layout.xs) { MortonKey.compact(added.entries[$0].key) }
        copy(edit, from: old.ys, to: layout.ys) { MortonKey.compact(added.entries[$0].key >> 1) }
        copy(edit, from: old.lats, to: layout.lats) { added.entries[$0].latE7 }
        copy(edit, from: old.weights, to: layout.weights) { added.entries[$0].weight }
        copy(edit, from: old.kinds, to: layout.kinds) { added.entries[$0].kind }
        if layout.hasExpiries {
            copy(
                edit, from: old.hasExpiries ? old.expiries : nil, to: layout.expiries,
                fallback: Int64.max
            ) { added.expires.isEmpty ? .max : added.expires[$0] }
        }
        if layout.hasOwners {
            copy(
                edit, from: old.hasOwners ? old.owners : nil, to: layout.owners,
                fallback: UInt64(0)
            ) { added.owners.isEmpty ? 0 : added.owners[$0] }
        }
        for field in 0..<layout.fields {
            let from = old.fields > 0 ? old.values + 8 * old.count * field : nil
            copy(
                edit, from: from, to: layout.values + 8 * layout.count * field,
                fallback: EntryBatch.noValue
            ) {
                added.values.isEmpty
                    ? EntryBatch.noValue : added.values[$0 * added.fields + field]
            }
        }
        if layout.hasEastEnd {
            copy(
                edit, from: old.hasEastEnd ? old.eastEnds : nil, to: layout.eastEnds,
                fallback: UInt8(0)
            ) { added.entries[$0].isEastEnd ? 1 : 0 }
        }
    }

    /// Writes one column; `fallback` stands for what the old page has no column of.
    @inline(__always)
    private func copy<Element: BitwiseCopyable>(
        _ edit: PageEdit, from source: Int?, to target: Int, fallback: Element? = nil,
        value: (Int) -> Element
    ) {
        let size = MemoryLayout<Element>.stride
        let column = unsafe self.column(target, of: Element.self)
        var next = 0
        for step in edit.steps {
            switch step {
            case .put(let entry):
                // In range: the steps hold as many entries as the layout.
                unsafe column[next] = value(entry)
                next &+= 1
            case .keep(let range):
                if let source {
                    unsafe UnsafeMutableRawPointer(column + next).copyMemory(
                        from: edit.page.block + (source &+ size &* range.lowerBound),
                        byteCount: size &* range.count)
                } else if let fallback {
                    unsafe (column + next).update(repeating: fallback, count: range.count)
                }
                next &+= range.count
            }
        }
    }
}

extension NodeSummary {
    /// The sums of a page after an edit; the edges of what went are looked for anew.
    fileprivate func changed(
        by edit: PageEdit, _ added: EntryBatch, _ context: PageContext, _ filler: PageFiller
    ) -> NodeSummary {
        let page = edit.page
        let hashes = context.kindHashes.span
        var sum = self
        var isEdge = false
        for index in edit.removed {
            // Each was added once, so the sums do not fall below zero.
            let lon = ColumnLongitude.lonE7(ofColumn: page.xs[index])
            sum.count -= 1
            sum.sumX -= UInt64(page.xs[index])
            sum.sumY -= UInt64(page.ys[index])
            sum.weight -= UInt64(page.weights[index])
            sum.weightSquares -= NodeSummary.square(page.weights[index])
            sum.content &-= page.contents[index]
            sum.shape &-= page.shape(index, hashes)
            let (lat, time) = (page.latE7[index], page.times[index])
            isEdge =
                isEdge || lon == west || lon == east || lat == south || lat == north
                || time == earliest || time == latest
                || (expires != .max && page.expiry(index) == expires)
        }
        if isEdge { filler.findEdges(of: &sum) }
        for case .put(let number) in edit.steps {
            let entry = added.entries[number]
            sum.add(
                entry, x: MortonKey.compact(entry.key), y: MortonKey.compact(entry.key >> 1),
                kindHash: hashes[Int(entry.kind)])
            if !added.expires.isEmpty { sum.expires = min(sum.expires, added.expires[number]) }
        }
        if !edit.removed.isEmpty { filler.findKinds(of: &sum) }
        return sum
    }
}

extension PageFiller {
    /// Sets the edges of place, time and expiry to those of the written columns.
    fileprivate func findEdges(of sum: inout NodeSummary) {
        let xs = unsafe column(layout.xs, of: UInt32.self)
        let lats = unsafe column(layout.lats, of: Int32.self)
        let times = unsafe column(layout.times, of: Int64.self)
        var (west, east) = (UInt32.max, UInt32.min)
        var (south, north) = (Int32.max, Int32.min)
        var (earliest, latest) = (Int64.max, Int64.min)
        for index in 0..<layout.count {
            unsafe west = min(west, xs[index])
            unsafe east = max(east, xs[index])
            unsafe south = min(south, lats[index])
            unsafe north = max(north, lats[index])
        }
        for index in 0..<layout.count {
            unsafe earliest = min(earliest, times[index])
            unsafe latest = max(latest, times[index])
        }
        // Longitudes ascend with columns; +180 counts as -180, which is column 0.
        sum.west = ColumnLongitude.lonE7(ofColumn: west)
        sum.east = ColumnLongitude.lonE7(ofColumn: east)
        sum.south = south
        sum.north = north
        sum.earliest = earliest
        sum.latest = latest
        sum.expires = .max
        guard layout.hasExpiries else { return }
        let expiries = unsafe column(layout.expiries, of: Int64.self)
        for index in 0..<layout.count { unsafe sum.expires = min(sum.expires, expiries[index]) }
    }

    /// Sets the kinds to those of the written column.
    fileprivate func findKinds(of sum: inout NodeSummary) {
        let kinds = unsafe column(layout.kinds, of: UInt16.self)
        var bits: UInt64 = 0
        for index in 0..<layout.count { unsafe bits |= 1 &<< UInt64(kinds[index] & 63) }
        sum.kinds = bits
    }
}
