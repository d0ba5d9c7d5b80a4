import Synchronization

/// Memory for pages, of which some is kept when pages go and given to the next ones.
///
/// A batch of changes replaces hundreds of pages of nearly one size. A general allocator joins and
/// splits their blocks and gives memory back to the system, to ask for it again with the next
/// batch: a quarter of the time of all changes. Blocks of one size class need none of that, and
/// those that went last are still in the cache.
final class PageBlocks: Sendable {
    /// Those of all pages.
    static let shared = PageBlocks()

    /// The sizes of blocks are multiples of this.
    static let stepBytes = 256
    /// Larger ones, of pages with many aggregated fields, are not kept.
    static let largestBytes = 32 << 10
    /// At most so much is kept that no page needs: what a batch of a thousand changes replaces.
    static let keptBytes = 12 << 20

    /// The blocks that wait.
    private struct Waiting {
        /// Their addresses by size class. Not in the blocks themselves, which may have left the
        /// cache.
        var blocks = [[UInt]](
            repeating: [], count: PageBlocks.largestBytes / PageBlocks.stepBytes + 1)
        var bytes = 0
    }

    private let waiting = Mutex(Waiting())

    /// The size of the block for a page that needs so many bytes.
    static func size(for bytes: Int) -> Int { (bytes &+ (stepBytes - 1)) & ~(stepBytes - 1) }

    /// How much waits.
    var waitingBytes: Int { waiting.withLock { $0.bytes } }

    /// A block of the size for `bytes`, aligned for any column. O(1).
    func take(_ bytes: Int) -> UnsafeMutableRawPointer {
        let size = PageBlocks.size(for: bytes)
        let address =
            size > PageBlocks.largestBytes
            ? 0
            : waiting.withLock { waiting -> UInt in
                guard let address = waiting.blocks[size / PageBlocks.stepBytes].popLast() else {
                    return 0
                }
                waiting.bytes -= size
                return address
            }
        return unsafe UnsafeMutableRawPointer(bitPattern: address)
            ?? UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    }

    /// Gives a block of the size for `bytes` back: nobody reads it any more. O(1).
    func give(_ block: UnsafeMutableRawPointer, _ bytes: Int) {
        let size = PageBlocks.size(for: bytes)
        let address = UInt(bitPattern: block)
        let isKept =
            size <= PageBlocks.largestBytes
            && waiting.withLock { waiting in
                guard waiting.bytes + size <= PageBlocks.keptBytes else { return false }
                waiting.blocks[size / PageBlocks.stepBytes].append(address)
                waiting.bytes += size
                return true
            }
        if !isKept { unsafe block.deallocate() }
    }
}
