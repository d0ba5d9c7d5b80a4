/// Paths as text, by Google's encoded polyline algorithm: latitude first, differences of whole
/// units in groups of five bits.
///
/// Source: "Encoded Polyline Algorithm Format", Google Maps Platform; six decimals as OSRM has
/// them.
public enum Polyline {
    /// How many decimals of a degree are kept.
    public enum Precision: Int, Sendable {
        /// Units of 1e-5 degree: a metre.
        case five = 5
        /// Units of 1e-6 degree: a decimetre.
        case six = 6

        /// How many units of 1e-7 degree one unit has.
        var unitsE7: Int64 { self == .five ? 100 : 10 }
    }

    /// Why a text is no polyline.
    public enum DecodingError: Error, Equatable, Sendable {
        /// A character is none of those from `?` to `~`.
        case character(offset: Int)
        /// It ends within a number, or with a latitude without its longitude.
        case incomplete
        /// A number is greater than a difference of coordinates can be.
        case tooLarge(offset: Int)
        /// More vertices than were asked for.
        case tooMany(limit: Int)
    }

    /// The text of a path. Coordinates are rounded to the precision, halves away from zero.
    ///
    /// - Complexity: O(vertices).
    public static func encode(_ path: RoutePath, precision: Precision) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.vertices.count * 8)
        var last: (lat: Int64, lon: Int64) = (0, 0)
        for vertex in path.vertices {
            let lat = rounded(Int64(vertex.latE7), to: precision.unitsE7)
            let lon = rounded(vertex.lonE7, to: precision.unitsE7)
            append(lat - last.lat, to: &bytes)
            append(lon - last.lon, to: &bytes)
            last = (lat, lon)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The path of a text.
    ///
    /// Latitudes may come out beyond ±90°: that is for the caller to look at.
    ///
    /// - Throws: ``DecodingError``.
    /// - Complexity: O(length), at most that of `limit` vertices.
    public static func decode(
        _ text: some Collection<UInt8>, precision: Precision, limit: Int
    ) throws(DecodingError) -> RoutePath {
        var vertices: [RoutePath.Vertex] = []
        var reader = Reader(bytes: Array(text))
        var lat: Int64 = 0
        var lon: Int64 = 0
        while !reader.isAtEnd {
            guard vertices.count < limit else { throw .tooMany(limit: limit) }
            lat += try reader.difference()
            guard !reader.isAtEnd else { throw .incomplete }
            lon += try reader.difference()
            // Sums of less than 2³⁰ each; many of them may leave the globe by far.
            let latE7 = Int32(clamping: lat * precision.unitsE7)
            vertices.append(RoutePath.Vertex(lonE7: lon * precision.unitsE7, latE7: latE7))
        }
        return RoutePath(vertices)
    }

    private struct Reader {
        let bytes: [UInt8]
        var offset = 0

        var isAtEnd: Bool { offset == bytes.count }

        mutating func difference() throws(DecodingError) -> Int64 {
            var value: Int64 = 0
            var shift: Int64 = 0
            let start = offset
            while true {
                guard offset < bytes.count else { throw .incomplete }
                let byte = bytes[offset]
                guard (63...126).contains(byte) else { throw .character(offset: offset) }
                guard shift <= 25 else { throw .tooLarge(offset: start) }
                offset += 1
                value |= Int64((byte - 63) & 0x1f) << shift
                shift += 5
                if byte < 63 + 0x20 { break }
            }
            return value & 1 == 0 ? value >> 1 : ~(value >> 1)
        }
    }

    /// `value` in units of `units`, halves away from zero.
    private static func rounded(_ value: Int64, to units: Int64) -> Int64 {
        (value + (value < 0 ? -units / 2 : units / 2)) / units
    }

    private static func append(_ difference: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: difference < 0 ? ~(difference << 1) : difference << 1)
        while rest >= 0x20 {
            bytes.append(UInt8(rest & 0x1f | 0x20) + 63)
            rest >>= 5
        }
        bytes.append(UInt8(rest) + 63)
    }
}
