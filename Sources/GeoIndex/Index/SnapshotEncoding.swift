/// A snapshot as bytes, from which ``SnapshotDecoder`` makes an equal one without sorting.
///
/// The first chunk is the head: version, aggregated fields, sums, kinds. The others are parts of
/// about a megabyte, each whole leaf nodes: for every page its layout and its columns as they
/// stand in memory, in the machine's byte order, then the texts of its long ids. Parts can be
/// decoded by several threads. There is no checksum in it: who keeps the bytes adds one.
extension IndexSnapshot {
    /// Grows when the form of the bytes changes.
    static let encodingVersion: UInt64 = 3
    /// Pages of one part: the children of two leaf nodes.
    private static let pagesPerPart = 2 * TreeNode.built

    /// About how many bytes ``encode(_:)`` gives; texts of long ids are taken to be full.
    public var encodedBytes: Int {
        var meter = PageMeter()
        walk(0...UInt64.max, &meter)
        return meter.bytes + (1 << 16)
    }

    /// Gives the chunks of bytes one after the other; each is valid during the call only.
    ///
    /// - Throws: What `take` throws.
    /// - Complexity: O(n).
    public func encode<Failure: Error>(
        _ take: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var collector = PageCollector()
        walk(0...UInt64.max, &collector)
        let pages = collector.pages
        let parts = (pages.count + Self.pagesPerPart - 1) / Self.pagesPerPart
        var writer = ChunkWriter()
        writeHead(parts: parts, &writer)
        try take(writer.bytes.span)
        for part in 0..<parts {
            writer.removeAll()
            let range = (part * pages.count / parts)..<((part + 1) * pages.count / parts)
            writer.append(UInt64(range.count))
            for page in pages[range] { write(page, &writer) }
            try take(writer.bytes.span)
        }
    }

    private func writeHead(parts: Int, _ writer: inout ChunkWriter) {
        let sum = summary
        let numbers: [UInt64] = [
            Self.encodingVersion, UInt64(parts), UInt64(fields), UInt64(sum.count), sum.sumX,
            sum.sumY, sum.weight, sum.shape, sum.content, UInt64(kinds.names.count),
        ]
        for number in numbers { writer.append(number) }
        for name in kinds.names { writer.append(text: name) }
    }

    private func write(_ page: LeafPage, _ writer: inout ChunkWriter) {
        writer.append(page.layout.word)
        writer.append(page)
        let objects = page.objects
        for index in objects.indices {
            let key = ObjectKey(bits: objects[index])
            if key.isHashed { writer.append(text: ids.id(of: key)) }
        }
        writer.align()
    }
}

extension PageLayout {
    /// The layout in one number.
    var word: UInt64 {
        UInt64(count) | UInt64(fields) << 32 | (hasExpiries ? 1 << 16 : 0)
            | (hasOwners ? 1 << 17 : 0) | (hasEastEnd ? 1 << 18 : 0)
    }

    /// A layout of ``word``, for a layer of so many aggregated fields; nil when there is none.
    init?(word: UInt64, layerFields: Int) {
        let count = Int(word & 0xffff)
        let fields = Int(word >> 32)
        guard (1...LeafPage.capacity).contains(count), fields == 0 || fields == layerFields
        else { return nil }
        self.init(
            count: count, hasExpiries: word & 1 << 16 != 0, hasOwners: word & 1 << 17 != 0,
            hasEastEnd: word & 1 << 18 != 0, fields: fields)
        if self.word != word { return nil }
    }

    /// Where the bytes that no column has begin and end: they stand before the second column and
    /// before the first optional one, and are not set.
    var gaps: [Range<Int>] {
        [xsEnd..<lats, common..<min(max(common, expiries), max(common, bytes))]
    }
}

/// Puts bytes together, numbers in the machine's byte order.
private struct ChunkWriter {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
        align()
    }

    /// Appends a page's columns.
    mutating func append(_ page: LeafPage) {
        let start = bytes.count
        // The block has the layout's size and lives as long as the page.
        unsafe bytes.append(
            contentsOf: UnsafeRawBufferPointer(start: page.block, count: page.layout.bytes))
        for index in page.layout.gaps.joined() { bytes[start + index] = 0 }
        align()
        withExtendedLifetime(page) {}
    }

    /// Numbers and columns begin at multiples of 8.
    mutating func align() {
        while bytes.count & 7 != 0 { bytes.append(0) }
    }
}

private struct PageCollector: RangeVisitor {
    var pages: [LeafPage] = []

    func enters(_ summary: NodeSummary) -> Bool { true }
    func takes(_ node: TreeNode) -> Bool { false }
    mutating func visit(_ page: LeafPage, _ range: Range<Int>) { pages.append(page) }
}

private struct PageMeter: RangeVisitor {
    var bytes = 0

    func enters(_ summary: NodeSummary) -> Bool { true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        let objects = page.objects
        var longIDs = 0
        for index in range where ObjectKey(bits: objects[index]).isHashed { longIDs += 1 }
        bytes += page.layout.bytes + 32 + longIDs * (IDTable.maxLength + 8)
    }
}
