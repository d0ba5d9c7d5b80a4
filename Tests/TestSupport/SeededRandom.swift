import Glibc

/// A ``SeededGenerator`` whose seeds are set apart first, and normal distributions.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var generator: SeededGenerator

    package init(seed: Int) {
        generator = SeededGenerator(
            seed: UInt64(bitPattern: Int64(seed)) &* 0x9e37_79b9_7f4a_7c15 &+ 0x1234_5678)
    }

    package mutating func next() -> UInt64 { generator.next() }

    /// A number from a normal distribution, by Box and Muller's method.
    package mutating func normal(_ mean: Double, _ deviation: Double) -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &self))).squareRoot()
        return mean + deviation * radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
