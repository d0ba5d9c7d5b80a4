/// Why bytes are no snapshot.
public enum SnapshotDecodingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// They were written by another version.
    case otherVersion
    /// They end early or late.
    case length
    /// A page is not one that an index can have.
    case page(reason: String)
    /// The kinds are not those of a layer.
    case kinds
    /// A long id is not the text of its key.
    case id
    /// Parts are missing, too many, or in another order.
    case parts
    /// The sums over all entries are not those of the snapshot that was written.
    case sums

    /// Half a sentence for the operator.
    public var description: String {
        switch self {
        case .otherVersion: "its form is of another version"
        case .length: "it ends early or late"
        case .page(let reason): "a page has \(reason)"
        case .kinds: "its kinds"
        case .id: "an id"
        case .parts: "its parts"
        case .sums: "its sums"
        }
    }
}

/// Some pages of a snapshot that is being decoded.
public struct SnapshotPart: Sendable {
    fileprivate let pages: [LeafPage]
    /// The parents of the pages.
    fileprivate let nodes: [TreeNode]
    fileprivate let longIDs: [(key: ObjectKey, text: String)]
    fileprivate let first: EntryPlace
    fileprivate let last: EntryPlace
}

/// Where an entry stands in the order of an index.
struct EntryPlace: Comparable {
    var key: UInt64
    var object: UInt64

    @inline(__always)
    static func < (left: EntryPlace, right: EntryPlace) -> Bool {
        left.key != right.key ? left.key < right.key : left.object < right.object
    }
}

/// Makes a snapshot of the bytes that ``IndexSnapshot/encode(_:)`` gave.
///
/// Whatever the bytes are, nothing traps, and what comes out is a tree in order, with sums that
/// are made anew of its entries and are equal to those that were written. That an entry is the one
/// that was written is for the checksum of whoever kept the bytes to prove.
///
///     let decoder = try SnapshotDecoder(chunks[0].span)
///     let parts = try chunks.dropFirst().map { try decoder.part($0.span) }  // on any threads
///     let snapshot = try decoder.snapshot(of: parts)
public struct SnapshotDecoder: Sendable {
    /// More aggregated fields than any layer has.
    private static let fieldLimit: UInt64 = 1_024

    private let parts: Int
    private let fields: Int
    private let kinds: KindTable
    /// By kind number: whether an entry may have it.
    private let isLiveKind: [Bool]
    private let sums: [UInt64]

    /// Reads the head, the first chunk.
    ///
    /// - Throws: ``SnapshotDecodingError``.
    public init(_ head: Span<UInt8>) throws(SnapshotDecodingError) {
        var reader = ChunkReader(head)
        guard try reader.number() == IndexSnapshot.encodingVersion else { throw .otherVersion }
        let parts = try reader.number()
        let fields = try reader.number()
        guard parts <= 1 << 32, fields <= Self.fieldLimit else { throw .length }
        self.parts = Int(parts)
        self.fields = Int(fields)
        var sums: [UInt64] = []
        for _ in 0..<6 { sums.append(try reader.number()) }
        self.sums = sums
        let count = try reader.number()
        guard count <= UInt64(KindTable.limit) else { throw .kinds }
        var names: [String] = []
        for _ in 0..<count { names.append(try reader.text()) }
        guard reader.isAtEnd else { throw .length }
        guard let kinds = KindTable(restoring: names) else { throw .kinds }
        self.kinds = kinds
        isLiveKind = names.enumerated().map { $0.offset == 0 || !$0.element.isEmpty }
    }

    /// Decodes one of the other chunks.
    ///
    /// - Throws: ``SnapshotDecodingError``.
    /// - Complexity: O(entries).
    public func part(_ bytes: Span<UInt8>) throws(SnapshotDecodingError) -> SnapshotPart {
        var reader = ChunkReader(bytes)
        let count = try reader.number()
        // A page takes more than 8 bytes.
        guard count > 0, count <= UInt64(bytes.count / 8) else { throw .parts }
        var pages: [LeafPage] = []
        var longIDs: [(key: ObjectKey, text: String)] = []
        var last: EntryPlace?
        for _ in 0..<count {
            guard let layout = PageLayout(word: try reader.number(), layerFields: fields) else {
                throw .page(reason: "no layout")
            }
            let columns = try reader.bytes(layout.bytes)
            try reader.align()
            let page = try LeafPage(columns, layout, kindHashes: kinds.hashes, isLiveKind, &last)
            let objects = page.objects
            for index in objects.indices {
                let key = ObjectKey(bits: objects[index])
                if key.isHashed { longIDs.append((key, try reader.text())) }
            }
            try reader.align()
            pages.append(page)
        }
        guard reader.isAtEnd, let last, let first = pages.first else { throw .length }
        return SnapshotPart(
            pages: pages,
            nodes: BulkBuilder.chunks(pages).map { TreeNode($0, generation: 0, fields: fields) },
            longIDs: longIDs, first: EntryPlace(key: first.firstKey, object: first.objects[0]),
            last: last)
    }

    /// Puts the parts together, in the order of their chunks.
    ///
    /// - Throws: ``SnapshotDecodingError``.
    /// - Complexity: O(pages + long ids).
    public func snapshot(
        of parts: [SnapshotPart]
    ) throws(SnapshotDecodingError) -> IndexSnapshot {
        guard parts.count == self.parts else { throw .parts }
        for index in parts.indices.dropFirst() where parts[index - 1].last >= parts[index].first {
            throw .parts
        }
        guard let ids = IDTable(restoring: parts.map(\.longIDs).joined()) else { throw .id }
        let snapshot = IndexSnapshot(
            generation: 0, root: root(over: parts), kinds: kinds, ids: ids, fields: fields)
        let sum = snapshot.summary
        guard
            sums == [
                UInt64(sum.count), sum.sumX, sum.sumY, sum.weight, sum.shape, sum.content,
            ]
        else { throw .sums }
        return snapshot
    }

    private func root(over parts: [SnapshotPart]) -> IndexSnapshot.Root {
        if parts.count == 1 && parts[0].pages.count == 1 { return .page(parts[0].pages[0]) }
        var nodes = parts.flatMap(\.nodes)
        while nodes.count > 1 {
            nodes = BulkBuilder.chunks(nodes).map { TreeNode($0, generation: 0, fields: fields) }
        }
        return nodes.first.map { .node($0) } ?? .empty
    }
}

/// Takes bytes apart; each step fails beyond the end.
private struct ChunkReader: ~Escapable {
    private let source: Span<UInt8>
    private var position = 0

    @_lifetime(copy source)
    init(_ source: Span<UInt8>) { self.source = source }

    var isAtEnd: Bool { position == source.count }

    mutating func number() throws(SnapshotDecodingError) -> UInt64 {
        let word = try bytes(8)
        return unsafe word.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) }
    }

    @_lifetime(copy self)
    mutating func bytes(_ count: Int) throws(SnapshotDecodingError) -> Span<UInt8> {
        guard count <= source.count - position else { throw .length }
        let part = source.extracting(position..<(position + count))
        position += count
        return part
    }

    mutating func text() throws(SnapshotDecodingError) -> String {
        let length = try number()
        guard length <= UInt64(source.count - position) else { throw .length }
        let span = try bytes(Int(length))
        let text = unsafe span.withUnsafeBufferPointer {
            unsafe String(validating: $0, as: UTF8.self)
        }
        guard let text else { throw .id }
        try align()
        return text
    }

    /// Goes to the next multiple of 8, over zeros.
    mutating func align() throws(SnapshotDecodingError) {
        while position & 7 != 0 {
            guard position < source.count, source[position] == 0 else { throw .length }
            position += 1
        }
    }
}
