import Glibc

/// A small random number generator whose whole state is its seed, so that a failing test replays.
package struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: Int) {
        state = UInt64(bitPattern: Int64(seed)) &* 0x9e37_79b9_7f4a_7c15 &+ 0x1234_5678
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }

    /// A number from a normal distribution, by Box and Muller's method.
    package mutating func normal(_ mean: Double, _ deviation: Double) -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &self))).squareRoot()
        return mean + deviation * radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
