import Synchronization

/// Compressors of one level for whichever thread needs one: as many as were ever in use at once.
///
/// The tables of a compressor are large, and cost more to make than a small picture to compress.
package final class DeflaterPool: Sendable {
    /// For pictures: the fastest level, which their few colours are made for.
    package static let pictures = DeflaterPool(level: 1)

    /// A compressor on its way from thread to thread. Sound because the pool's lock hands each to
    /// one thread at a time.
    private struct Idle: @unchecked Sendable { let deflater: Deflater }

    private let level: Int
    private let idle = Mutex<[Idle]>([])

    /// Creates an empty pool.
    ///
    /// - Precondition: the level is in ``Deflater/levels``.
    package init(level: Int) {
        precondition(Deflater.levels.contains(level), "deflate has no level \(level)")
        self.level = level
    }

    /// Lends a compressor.
    ///
    /// - Throws: ``DeflaterError/outOfMemory``.
    package func withDeflater<R>(_ body: (Deflater) -> R) throws(DeflaterError) -> R {
        let deflater: Deflater
        if let taken = idle.withLock({ $0.popLast() }) {
            deflater = taken.deflater
        } else {
            deflater = try Deflater(level: level)
        }
        let result = body(deflater)
        let back = Idle(deflater: deflater)
        idle.withLock { $0.append(back) }
        return result
    }
}
