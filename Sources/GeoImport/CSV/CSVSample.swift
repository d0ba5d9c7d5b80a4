/// Collects the beginning of a table, from pieces of any size, until enough is there to guess what
/// is what in it.
struct CSVSample: Sendable {
    /// How much is looked at. A header may be longer, up to its limit.
    private static let bytesWanted = 64 << 10

    private(set) var bytes: [UInt8] = []
    private let limits: ImportLimits

    init(limits: ImportLimits) { self.limits = limits }

    /// Takes bytes from a place on; true when enough is there.
    mutating func take(_ piece: Span<UInt8>, from place: inout Int) -> Bool {
        let wanted = max(CSVSample.bytesWanted, min(limits.headerBytes, 1 << 24) + 1)
        let count = min(piece.count - place, wanted - bytes.count)
        bytes.append(piece, place..<(place + count))
        place += count
        return bytes.count >= wanted
    }

    /// Gives the bytes away.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
