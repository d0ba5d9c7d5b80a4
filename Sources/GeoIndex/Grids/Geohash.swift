/// Why a text is not a geohash.
public enum GeohashError: Error, Equatable, Sendable {
    /// The text has no symbols or more than ``Geohash/maxPrecision``.
    case length(Int)
    /// A symbol is not one of the 32.
    case symbol(Character)
}

extension GeohashError: CustomStringConvertible {
    /// A sentence that says what would be right.
    public var description: String {
        switch self {
        case .length(let count):
            "\(count) symbols are no geohash: it has 1 to \(Geohash.maxPrecision)"
        case .symbol(let symbol):
            "\"\(symbol)\" is no symbol of a geohash: they are 0-9 and b-z without i, l and o"
        }
    }
}

/// A geohash: a cell of the grid that halves longitude and latitude by turns, longitude first,
/// five bits to a symbol of base 32.
///
/// A cell has its west and south edges; longitude 180 is longitude -180, latitude 90 belongs to the
/// last row. Bits come from whole units of 1e-7°, so that no rounding decides.
///
///     Geohash(RoundedPosition(try LonLat(lon: 13.405, lat: 52.52)), precision: 5)  // u33db
///
/// Source: G. Niemeyer, geohash.org, 2008.
public struct Geohash: Hashable, Sendable {
    /// The most symbols.
    public static let maxPrecision = 12

    /// How many symbols the hash has, in `1...maxPrecision`.
    public let precision: Int
    /// The hash's bits: five for each symbol, the first one highest.
    public let bits: UInt64

    private static let symbols = Array("0123456789bcdefghjkmnpqrstuvwxyz".utf8)

    /// Creates the hash of the cell that holds a place.
    ///
    /// - Precondition: `precision` is in `1...maxPrecision`.
    public init(_ position: RoundedPosition, precision: Int) {
        precondition((1...Geohash.maxPrecision).contains(precision), "precision \(precision)")
        self.precision = precision
        bits = Geohash.bits(lonE7: position.lonE7, latE7: position.latE7, precision: precision)
    }

    /// Reads a hash, in either letter case.
    ///
    /// - Throws: ``GeohashError``.
    public init(_ text: String) throws(GeohashError) {
        let length = text.count
        guard (1...Geohash.maxPrecision).contains(length) else { throw .length(length) }
        var bits: UInt64 = 0
        for symbol in text {
            guard let byte = symbol.asciiValue,
                let digit = Geohash.symbols.firstIndex(
                    of: (0x41...0x5a).contains(byte) ? byte + 32 : byte)
            else { throw .symbol(symbol) }
            bits = bits << 5 | UInt64(digit)
        }
        precision = length
        self.bits = bits
    }

    /// The hash of given bits.
    init(bits: UInt64, precision: Int) {
        self.bits = bits
        self.precision = precision
    }

    /// The text, in lower case.
    public var text: String {
        let bytes = (0..<precision).map { place in
            Geohash.symbols[Int(bits >> UInt64(5 * (precision - 1 - place)) & 31)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bits of the cell that holds a place.
    @inline(__always)
    static func bits(lonE7: Int32, latE7: Int32, precision: Int) -> UInt64 {
        let turn = UInt64(RoundedPosition.turnE7)
        // At most 3.6·10⁹ · 2^30 < 2^63.
        let east = UInt64(Int64(lonE7) + 1_800_000_000)
        let column = ((east == turn ? 0 : east) << 30) / turn
        let row = min((UInt64(Int64(latE7) + 900_000_000) << 30) / (turn / 2), 1 << 30 - 1)
        // Longitude has the odd bits: the first, the third and so on from the top of 60.
        let all =
            MortonKey.spread(UInt32(truncatingIfNeeded: column)) << 1
            | MortonKey.spread(UInt32(truncatingIfNeeded: row))
        return all >> UInt64(60 - 5 * precision)
    }

    // MARK: - The cell

    /// The number of halvings of longitude; latitude has as many, or one less.
    private var columnBits: Int { (5 * precision + 1) / 2 }
    private var rowBits: Int { 5 * precision / 2 }

    private var column: Int64 {
        let odd = columnBits > rowBits
        return Int64(MortonKey.compact(odd ? bits : bits >> 1))
    }

    private var row: Int64 {
        let odd = columnBits > rowBits
        return Int64(MortonKey.compact(odd ? bits >> 1 : bits))
    }

    private init(column: Int64, row: Int64, precision: Int) {
        let x = MortonKey.spread(UInt32(truncatingIfNeeded: column))
        let y = MortonKey.spread(UInt32(truncatingIfNeeded: row))
        // The last bit is longitude's when their number is odd.
        let isOdd = 5 * precision % 2 == 1
        self.init(bits: isOdd ? x | y << 1 : x << 1 | y, precision: precision)
    }

    /// The edges of the cell, in degrees.
    public var bounds: BoundingBox {
        let width = 360 / Double(Int64(1) << Int64(columnBits))
        let height = 180 / Double(Int64(1) << Int64(rowBits))
        return BoundingBox(
            trustedWest: Double(column) * width - 180, south: Double(row) * height - 90,
            east: Double(column + 1) * width - 180, north: Double(row + 1) * height - 90)
    }

    /// The middle of the cell, rounded to 1e-7°.
    public var centre: RoundedPosition {
        let bounds = bounds
        return RoundedPosition(
            lonE7: Int32(((bounds.west + bounds.east) / 2 * 1e7).rounded()),
            latE7: Int32(((bounds.south + bounds.north) / 2 * 1e7).rounded()))
    }

    /// The places of the cell, all of its edges in: those of the grid of 1e-7° that lie on or
    /// between them. There is at least one, for a cell is wider and higher than a unit.
    var positions: PositionBox {
        let turn = RoundedPosition.turnE7
        func edge(_ cell: Int64, _ bits: Int, _ whole: Int64) -> (floor: Int64, ceiling: Int64) {
            let product = cell * whole
            return (product >> Int64(bits), (product + (1 << Int64(bits)) - 1) >> Int64(bits))
        }
        return PositionBox(
            west: Int32(edge(column, columnBits, turn).ceiling - turn / 2),
            south: Int32(edge(row, rowBits, turn / 2).ceiling - turn / 4),
            east: Int32(edge(column + 1, columnBits, turn).floor - turn / 2),
            north: Int32(edge(row + 1, rowBits, turn / 2).floor - turn / 4))
    }

    // MARK: - Neighbours

    /// A direction to a neighbouring cell.
    public enum Direction: String, CaseIterable, Sendable {
        case n, ne, e, se, s, sw, w, nw
    }

    /// The cell of the same size in a direction; longitude wraps, beyond a pole there is none.
    public func neighbour(_ direction: Direction) -> Geohash? {
        let east: Int64 =
            switch direction {
            case .ne, .e, .se: 1
            case .n, .s: 0
            case .sw, .w, .nw: -1
            }
        let north: Int64 =
            switch direction {
            case .nw, .n, .ne: 1
            case .e, .w: 0
            case .sw, .s, .se: -1
            }
        let row = row + north
        guard (0..<(Int64(1) << Int64(rowBits))).contains(row) else { return nil }
        let columns = Int64(1) << Int64(columnBits)
        return Geohash(
            column: (column + east + columns) % columns, row: row, precision: precision)
    }
}
