/// How far boxes lie from a centre at least: u²/4 + c²·v²/4 for the least differences u of latitude
/// and v of longitude in radians, where c is the cosine of the centre's latitude.
///
/// A longitude gap is counted two columns short: one for each edge of the box, whose columns may
/// be one off, and for the centre within its own. A box wider than half the world may count as 0.
struct BoxGaps {
    /// What the floats may round up, and more.
    private static let lower: Float = 1 - 0x1p-18

    private let x: SIMD4<Int32>
    private let latE7: SIMD4<Int32>
    private let lat2: SIMD4<Float>
    private let lon2: SIMD4<Float>

    init(_ series: PlaneSeries) {
        x = SIMD4(repeating: Int32(bitPattern: series.x))
        latE7 = SIMD4(repeating: series.latE7)
        lat2 = SIMD4(repeating: series.lat2 * BoxGaps.lower)
        lon2 = SIMD4(repeating: series.lon2 * BoxGaps.lower)
    }

    /// A gap as whole number that keeps the order; the last six bits are left for a child's
    /// number. Not below ``distances(_:)`` of any that is not greater.
    static func key(_ gap: Float) -> Int32 { Int32(bitPattern: gap.bitPattern) | 63 }

    /// The gaps of up to 64 boxes.
    @inline(__always)
    func distances(_ boxes: ChildBoxes) -> Distances {
        var result = Distances()
        let column = boxes.groups
        let edges = column.span
        var number = SIMD4<Int32>(0, 1, 2, 3)
        let zero = SIMD4<Int32>(repeating: 0)
        let mask = SIMD4<Int32>(repeating: ~63)
        var place = 0
        while place < edges.count && result.count < 16 {
            let west = edges[place] &- x
            let east = x &- edges[place &+ 2]
            let south = edges[place &+ 1] &- latE7
            let north = latE7 &- edges[place &+ 3]
            place &+= 4
            // West of the centre by one way and east of it by the other: the shorter counts. Else
            // the one that is positive, but for boxes of more than half the world, whose edges'
            // differences may have run over.
            let both = BoxGaps.lesser(west, east)
            let one = BoxGaps.positive(BoxGaps.greater(west, east))
            let width = SIMD4(repeating: 0) &- west &- east
            let gap = one.replacing(with: zero, where: width .< zero).replacing(
                with: both, where: both .> zero)
            let across = SIMD4<Float>(BoxGaps.positive(gap &- SIMD4(repeating: 2)))
            let along = SIMD4<Float>(
                BoxGaps.positive(BoxGaps.greater(south, north)))
            let distance = along * along * lat2 + across * across * lon2
            let bits = unsafe unsafeBitCast(distance, to: SIMD4<Int32>.self)
            result.append((bits & mask) | number)
            number = number &+ SIMD4(repeating: 4)
        }
        return result
    }

    @inline(__always)
    private static func lesser(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> SIMD4<Int32> {
        a.replacing(with: b, where: b .< a)
    }

    @inline(__always)
    private static func greater(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> SIMD4<Int32> {
        a.replacing(with: b, where: b .> a)
    }

    @inline(__always)
    private static func positive(_ a: SIMD4<Int32>) -> SIMD4<Int32> {
        a.replacing(with: SIMD4(repeating: 0), where: a .< SIMD4(repeating: 0))
    }

    /// The gaps of a node's children that have not been taken yet.
    struct Distances {
        private var keys = InlineArray<16, SIMD4<Int32>>(repeating: SIMD4(repeating: .max))
        private(set) var count = 0

        @inline(__always)
        fileprivate mutating func append(_ four: SIMD4<Int32>) {
            keys[count] = four
            count &+= 1
        }

        /// Takes the child that comes first; the key is the greatest number when none is left.
        @inline(__always)
        mutating func popLeast() -> (child: Int, key: Int32) {
            var least = SIMD4<Int32>(repeating: .max)
            for place in 0..<count {
                // Below the count, which is at most 16.
                least = unsafe BoxGaps.lesser(least, keys[unchecked: place])
            }
            let key = min(min(least[0], least[1]), min(least[2], least[3]))
            let child = Int(key & 63)
            keys[child &>> 2][child & 3] = .max
            return (child, key)
        }
    }
}
