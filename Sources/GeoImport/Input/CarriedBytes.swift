/// The bytes of a value that began in an earlier piece of the input, up to a limit.
///
/// Once they are too long, none are kept and all that follow are passed over.
struct CarriedBytes {
    let limitBytes: Int
    private(set) var bytes: [UInt8] = []
    /// Whether the value is longer than the limit.
    private(set) var isTooLong = false

    /// Memory beyond this is given back after a long value.
    private static let keptBytes = 1 << 20

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// Whether nothing was carried.
    var isEmpty: Bool { bytes.isEmpty && !isTooLong }

    /// Takes bytes of a range of a piece. O(count).
    mutating func append(_ piece: Span<UInt8>, _ range: Range<Int>) {
        if isTooLong || bytes.count + range.count > limitBytes {
            isTooLong = true
            bytes = []
        } else {
            bytes.append(piece, range)
        }
    }

    /// Begins a new value.
    mutating func removeAll() {
        isTooLong = false
        bytes.removeAll(keepingCapacity: bytes.capacity <= CarriedBytes.keptBytes)
    }
}
