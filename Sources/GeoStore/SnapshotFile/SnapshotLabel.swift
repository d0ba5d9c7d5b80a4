/// What a snapshot is of: it may only be used where all of this is the same.
package struct SnapshotLabel: Sendable, Equatable {
    /// The layer's name, which is that of its class.
    package let layer: String
    /// The state of the class's objects that is in the snapshot.
    package let position: CommitPosition
    /// A hash of all that decides how the index is made of the objects.
    package let shape: UInt64

    /// Creates a label.
    package init(layer: String, position: CommitPosition, shape: UInt64) {
        self.layer = layer
        self.position = position
        self.shape = shape
    }
}

/// The first bytes of a snapshot file.
///
/// All numbers are of 64 bits, in the machine's byte order, which is a part of the mark.
struct SnapshotFileHeader: Equatable {
    /// "GeoIndex", then the version of the file's form, then the byte order.
    private static let mark: [UInt64] = [0x6765_6f49_6e64_6578, 1, 0x0102_0304_0506_0708]
    static let bytes = 512
    private static let nameOffset = 88
    private static let hashOffset = 504
    static let nameLimitBytes = 255

    var label: SnapshotLabel
    /// The length of the whole file.
    var fileBytes: UInt64
    /// How many chunks follow the header.
    var chunks: UInt64
    /// The checksum of the table of chunks, which is the end of the file.
    var tableHash: UInt64

    init(label: SnapshotLabel, fileBytes: UInt64, chunks: UInt64, tableHash: UInt64) {
        self.label = label
        self.fileBytes = fileBytes
        self.chunks = chunks
        self.tableHash = tableHash
    }

    /// The bytes in the file.
    ///
    /// - Precondition: the layer's name has at most ``nameLimitBytes`` bytes.
    var encoded: [UInt8] {
        let name = Array(label.layer.utf8)
        precondition(name.count <= Self.nameLimitBytes, "a class name of \(name.count) bytes")
        let numbers =
            Self.mark + [
                fileBytes, chunks, tableHash, label.position.epoch, label.position.number,
                label.shape, UInt64(name.count),
            ]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bytes)
        for number in numbers { bytes.append(number: number) }
        bytes += repeatElement(0, count: Self.nameOffset - bytes.count)
        bytes += name
        bytes += repeatElement(0, count: Self.hashOffset - bytes.count)
        bytes.append(number: Checksum.of(bytes.span))
        return bytes
    }

    /// Reads a header.
    ///
    /// - Throws: ``SnapshotFileError/foreign``, ``SnapshotFileError/damaged(what:)``.
    init(_ bytes: Span<UInt8>) throws(SnapshotFileError) {
        guard bytes.count == Self.bytes else { throw .damaged(what: "it has no header") }
        for (index, mark) in Self.mark.enumerated() where bytes.number(at: 8 * index) != mark {
            throw .foreign
        }
        guard
            bytes.number(at: Self.hashOffset) == Checksum.of(bytes.extracting(0..<Self.hashOffset))
        else { throw .damaged(what: "its header") }
        let length = bytes.number(at: 72)
        guard length <= UInt64(Self.nameLimitBytes) else { throw .damaged(what: "its header") }
        let name = (0..<Int(length)).map { bytes[Self.nameOffset + $0] }
        self.init(
            label: SnapshotLabel(
                layer: String(decoding: name, as: UTF8.self),
                position: CommitPosition(
                    epoch: bytes.number(at: 48), number: bytes.number(at: 56)),
                shape: bytes.number(at: 64)),
            fileBytes: bytes.number(at: 24), chunks: bytes.number(at: 32),
            tableHash: bytes.number(at: 40))
    }
}

extension Array<UInt8> {
    /// Appends a number in the machine's byte order.
    mutating func append(number: UInt64) {
        unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// The number at an offset, in the machine's byte order; traps beyond the end.
    func number(at offset: Int) -> UInt64 {
        unsafe extracting(offset..<(offset + 8)).withUnsafeBytes { bytes in
            unsafe bytes.loadUnaligned(as: UInt64.self)
        }
    }
}
