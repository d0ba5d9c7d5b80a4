/// A stream of random numbers that is the same on every machine.
///
/// Only integer arithmetic and IEEE operations that are correctly rounded (+, −, ×, ÷, √) are
/// used; nothing here calls the C library's mathematics, whose last bits differ between systems.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SplitMix64: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The stream of one numbered thing under a seed: record 7 never depends on record 6.
    init(seed: UInt64, stream: UInt64) {
        // Two rounds of the finaliser keep the streams of neighbouring numbers apart.
        state = SplitMix64.mixed(SplitMix64.mixed(seed) ^ SplitMix64.mixed(~stream))
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        // The state wraps by definition of the generator.
        state &+= 0x9e37_79b9_7f4a_7c15
        return SplitMix64.mixed(state)
    }

    /// A number in [0, 1) with 53 bits.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A number in (0, 1], for what is divided by.
    mutating func positiveUnit() -> Double { Double((next() >> 11) + 1) * 0x1p-53 }

    /// A whole number below `bound`, with a bias below `bound` / 2^32.
    mutating func below(_ bound: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: ((next() >> 32) * UInt64(bound)) >> 32)
    }

    /// A number between two bounds.
    mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * unit() }

    /// A number of mean 0 and variance 1 that is nearly normal, within ±3.47.
    ///
    /// The sum of four uniform numbers of 16 bits (Irwin–Hall): bell-shaped without a logarithm.
    mutating func bell() -> Double {
        let bits = next()
        let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)
        return (Double(sum) - 131_070) / 37_837.2
    }

    /// The finaliser: a bijection of 64 bits.
    static func mixed(_ value: UInt64) -> UInt64 {
        // Products of a hash wrap on purpose.
        var bits = value
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }
}

/// The cosine of an angle of at most 90°, within 1e-8, from sums and products only.
func cosine(degrees: Double) -> Double {
    let square = (degrees * .pi / 180) * (degrees * .pi / 180)
    var sum = 0.0
    // Taylor's series to the 14th power, by Horner's rule from the last term.
    for step in stride(from: 14.0, to: 0.0, by: -2.0) {
        sum = (1 - sum) * square / (step * (step - 1))
    }
    return max(0, 1 - sum)
}
