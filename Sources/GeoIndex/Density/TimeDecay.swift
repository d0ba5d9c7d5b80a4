/// How the weight of an object fades with its age: `weight · 2^(-age / halfLife)`.
///
/// Ages are whole minutes between the minute of an object's time and the minute of one reading of
/// the clock; what lies in the future has age 0. All of it is whole numbers, so two machines that
/// are asked in the same minute agree to the last bit, and pictures that are drawn apart join:
///
///     e = age · 4096 / halfLife, rounded down           (octaves, in units of 1/4096)
///     faded = weight · 2^31 · 2^(-(e mod 4096) / 4096) / 2^(31 + e / 4096), rounded half up
///
/// The steps of 1/4096 octave make a factor up to 0.017 % too large.
///
///     let decay = TimeDecay(halfLifeMinutes: 360, nowMilliseconds: now)
///     decay.faded(256, time: now - 6 * 3_600_000)  // 128
public struct TimeDecay: Hashable, Sendable {
    /// Half-lives that can be asked for: a minute to about a century.
    public static let halfLivesMinutes: ClosedRange<Int64> = 1...52_560_000

    /// The age at which half of the weight is left, in minutes.
    public let halfLifeMinutes: Int64
    /// The minute from which ages are counted, since 1970.
    public let nowMinutes: Int64

    /// Creates a decay.
    ///
    /// - Parameter nowMilliseconds: The request's one reading of the clock, since 1970.
    /// - Precondition: the half-life is in ``halfLivesMinutes``.
    public init(halfLifeMinutes: Int64, nowMilliseconds: Int64) {
        precondition(
            TimeDecay.halfLivesMinutes.contains(halfLifeMinutes),
            "no half-life has \(halfLifeMinutes) minutes")
        self.halfLifeMinutes = halfLifeMinutes
        nowMinutes = TimeDecay.minutes(ofMilliseconds: nowMilliseconds)
    }

    /// What is left of a weight.
    ///
    /// - Parameters:
    ///   - weight: In units of 1/256.
    ///   - time: The object's time, in milliseconds since 1970.
    /// - Complexity: O(1): a division and a look into a table.
    @inline(__always)
    public func faded(_ weight: UInt32, time: Int64) -> UInt32 {
        // Times are far below 2^63 minutes, so that the difference fits.
        let age = max(0, nowMinutes &- TimeDecay.minutes(ofMilliseconds: time))
        // 2^32 · 2^-33 rounds to nothing; below, the product stays under 2^26 · 33 · 2^12.
        guard age < 33 * halfLifeMinutes else { return 0 }
        let steps = UInt64(age) &* TimeDecay.stepsPerOctave / UInt64(halfLifeMinutes)
        let factor = UInt64(TimeDecay.factors[Int(steps & (TimeDecay.stepsPerOctave &- 1))])
        let shift = 31 &+ steps / TimeDecay.stepsPerOctave
        // Below 2^32 · 2^31, and the half below 2^63.
        return UInt32(
            truncatingIfNeeded: (UInt64(weight) &* factor &+ (1 &<< (shift &- 1))) &>> shift)
    }

    /// The minute of a time, rounded down, also before 1970.
    @inline(__always)
    static func minutes(ofMilliseconds time: Int64) -> Int64 {
        let minute: Int64 = 60_000
        let (quotient, rest) = time.quotientAndRemainder(dividingBy: minute)
        return rest < 0 ? quotient - 1 : quotient
    }

    private static let stepsPerOctave: UInt64 = 4096

    /// `2^31 · 2^(-i / 4096)`, rounded. Made of square roots and products only, which IEEE 754
    /// rounds alike everywhere: no two machines have two tables.
    private static let factors: [UInt32] = {
        // The square roots are those of the bits of i from the highest: 2^(-1/2), 2^(-1/4), …
        var roots: [Double] = []
        var root = 0.5
        for _ in 0..<12 {
            root = root.squareRoot()
            roots.append(root)
        }
        return (0..<Int(stepsPerOctave)).map { step in
            var factor = 0x1p31
            for bit in 0..<12 where step >> (11 - bit) & 1 == 1 { factor *= roots[bit] }
            return UInt32(factor.rounded())
        }
    }()
}
