extension LeafPage {
    /// Creates a page from its columns as they stand in memory, when they are those of a page.
    ///
    /// - Parameters:
    ///   - columns: As many bytes as the layout has.
    ///   - isLiveKind: By kind number: whether an entry may have it.
    ///   - last: The place of the last entry before the page, then of its own last one.
    /// - Throws: ``SnapshotDecodingError/page(reason:)``.
    /// - Complexity: O(entries).
    convenience init(
        _ columns: Span<UInt8>, _ layout: PageLayout, kindHashes: [UInt64], _ isLiveKind: [Bool],
        _ last: inout EntryPlace?
    ) throws(SnapshotDecodingError) {
        precondition(columns.count == layout.bytes, "the columns have the layout's size")
        // A page gives its block to the pool when it goes, so it must have come from there.
        let block = unsafe PageBlocks.shared.take(layout.bytes)
        unsafe columns.withUnsafeBytes { source in
            if let start = source.baseAddress {
                unsafe block.copyMemory(from: start, byteCount: source.count)
            }
        }
        let judge = unsafe PageJudge(block, layout)
        do throws(SnapshotDecodingError) {
            let summary = try judge.summary(kindHashes, isLiveKind, &last)
            // Whatever stood there: boxes that hold not all would hide entries.
            let groups = unsafe PageFiller(block, layout).fillGroups()
            unsafe self.init(block, layout, groups: groups, summary: summary, generation: 0)
        } catch {
            unsafe PageBlocks.shared.give(block, layout.bytes)
            throw error
        }
    }
}

/// Reads the columns of a page that may be none.
@safe private struct PageJudge {
    private let block: UnsafeRawPointer
    private let layout: PageLayout

    /// - Precondition: the block has the layout's size.
    init(_ block: UnsafeMutableRawPointer, _ layout: PageLayout) {
        unsafe self.block = UnsafeRawPointer(block)
        self.layout = layout
    }

    /// A column; any bits are a value of its type. The layout keeps it within the block.
    private func column<Element: BitwiseCopyable>(
        _ offset: Int, of type: Element.Type
    ) -> UnsafeBufferPointer<Element> {
        unsafe UnsafeBufferPointer(
            start: (block + offset).assumingMemoryBound(to: type), count: layout.count)
    }

    /// Checks the entries and sums them up.
    func summary(
        _ kindHashes: [UInt64], _ isLiveKind: [Bool], _ last: inout EntryPlace?
    ) throws(SnapshotDecodingError) -> NodeSummary {
        let hashes = kindHashes.span
        let isLiveKind = isLiveKind.span
        let objects = unsafe column(layout.objects, of: UInt64.self)
        let times = unsafe column(layout.times, of: Int64.self)
        let contents = unsafe column(layout.contents, of: UInt64.self)
        let xs = unsafe column(layout.xs, of: UInt32.self)
        let ys = unsafe column(layout.ys, of: UInt32.self)
        let lats = unsafe column(layout.lats, of: Int32.self)
        let weights = unsafe column(layout.weights, of: UInt32.self)
        let kinds = unsafe column(layout.kinds, of: UInt16.self)
        let isEastEnd = try eastEnds()
        var sum = NodeSummary()
        var before = last ?? EntryPlace(key: 0, object: 0)
        for index in 0..<layout.count {
            let (x, y) = unsafe (xs[index], ys[index])
            let kind = unsafe Int(kinds[index])
            guard kind < hashes.count, isLiveKind[kind] else {
                throw .page(reason: "a kind that is not there")
            }
            let entry = unsafe IndexEntry(
                key: MortonKey.spread(x) | MortonKey.spread(y) << 1, object: objects[index],
                time: times[index], content: contents[index], latE7: lats[index],
                weight: weights[index], kind: kinds[index],
                isEastEnd: !isEastEnd.isEmpty && isEastEnd[index])
            guard (-900_000_000...900_000_000).contains(entry.latE7) else {
                throw .page(reason: "a latitude beyond the poles")
            }
            guard ObjectKey.isKey(entry.object) else { throw .page(reason: "a key of no id") }
            guard !entry.isEastEnd || x == 0 else { throw .page(reason: "a longitude twice") }
            // No object has the key 0, so that the first entry of all comes after the start.
            let place = EntryPlace(key: entry.key, object: entry.object)
            guard before < place else { throw .page(reason: "entries out of order") }
            before = place
            sum.add(entry, x: x, y: y, kindHash: hashes[kind])
        }
        last = before
        if layout.hasExpiries {
            let instants = unsafe column(layout.expiries, of: Int64.self)
            sum.expires = unsafe instants.reduce(sum.expires) { min($0, $1) }
        }
        return sum
    }

    /// The marks of longitude +180°; empty when the page has none.
    private func eastEnds() throws(SnapshotDecodingError) -> [Bool] {
        guard layout.hasEastEnd else { return [] }
        let marks = unsafe column(layout.eastEnds, of: UInt8.self)
        guard unsafe marks.allSatisfy({ $0 < 2 }) else { throw .page(reason: "a wrong mark") }
        return unsafe marks.map { $0 == 1 }
    }
}

extension ObjectKey {
    /// Whether bits are the key of some id: a packed one with nothing after its end, or a hash.
    @inline(__always)
    static func isKey(_ bits: UInt64) -> Bool {
        let length = bits & 15
        if length == 15 { return true }
        guard (1...UInt64(packedLength)).contains(length) else { return false }
        // 6 bits for each symbol that a shorter id has not.
        let unused = (1 as UInt64) << (6 * (UInt64(packedLength) - length)) - 1
        return bits >> 4 & unused == 0
    }
}
