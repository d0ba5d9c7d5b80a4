/// Short codes for the colours of a picture, given out as the colours occur.
struct CodeBook {
    /// What stands for a colour that has no code yet.
    private static let none: UInt16 = 0x8000

    /// The palette's index for each code.
    private(set) var used: [UInt8] = []
    private let most: Int
    private var codes = [UInt16](repeating: CodeBook.none, count: 256)

    /// - Parameter most: How many codes there are, 256 at most.
    init(most: Int) {
        self.most = most
        used.reserveCapacity(most)
    }

    /// The codes of eight pixels, a byte each, the first in the lowest; nil when there are more
    /// colours than codes.
    @inline(__always)
    mutating func codes(ofEight pixels: UInt64) -> UInt64? {
        if let known = known(pixels) { return known }
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            guard code(UInt8(truncatingIfNeeded: pixels &>> shift)) != nil else { return nil }
        }
        return known(pixels)
    }

    /// The code of a colour, a new one when it has none; nil when there is none left.
    mutating func code(_ index: UInt8) -> UInt8? {
        if codes[Int(index)] == CodeBook.none {
            guard used.count < most else { return nil }
            codes[Int(index)] = UInt16(used.count)
            used.append(index)
        }
        return UInt8(truncatingIfNeeded: codes[Int(index)])
    }

    @inline(__always)
    private func known(_ pixels: UInt64) -> UInt64? {
        let code = codes.span
        var found: UInt64 = 0
        var all: UInt16 = 0
        for byte in 0..<UInt64(8) {
            let one = code[Int(truncatingIfNeeded: pixels &>> (8 &* byte) & 255)]
            all |= one
            found |= UInt64(one) &<< (8 &* byte)
        }
        // Without the mark no code has more than a byte.
        return all & CodeBook.none == 0 ? found : nil
    }
}
