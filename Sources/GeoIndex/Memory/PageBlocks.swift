import Synchronization

/// Memory for pages, of which some is kept when pages go and given to the next ones.
///
/// A batch of changes replaces hundreds of pages of nearly one size. An allocator for all sizes
/// joins and splits their blocks, to cut them anew with the next batch: a quarter of the time of
/// all changes. Blocks of one size class need none of that, and those that went last are still in
/// the cache.
///
/// Whoever finds another at work goes to the ``PageHeap`` instead of waiting.
///
/// Unchecked: what waits is touched only by whoever has set `isBusy`.
final class PageBlocks: @unchecked Sendable {
    /// Those of all pages.
    static let shared = PageBlocks()

    /// The sizes of blocks are multiples of this.
    static let stepBytes = PageHeap.unitBytes
    /// Larger ones, of pages with many aggregated fields, come from the general allocator.
    static let largestBytes = 32 << 10
    /// At most so much is kept that no page needs: what a batch of a thousand changes replaces.
    static let keptBytes = 12 << 20

    /// The addresses of the blocks that wait, by size class. Not in the blocks themselves, which
    /// may have left the cache.
    private var waiting = [[UInt]](
        repeating: [], count: PageBlocks.largestBytes / PageBlocks.stepBytes + 1)
    private var waitingTotal = 0
    private let isBusy = Atomic(false)
    private let heap = PageHeap()

    /// The size of the block for a page that needs so many bytes; at least two steps, so that a
    /// line of the cache in which a column begins is whole in the block.
    static func size(for bytes: Int) -> Int {
        max(2 * stepBytes, (bytes &+ (stepBytes - 1)) & ~(stepBytes - 1))
    }

    /// Memory that was asked from the system for blocks, used or not.
    var mappedBytes: Int { heap.mappedBytes }

    /// How much waits.
    var waitingBytes: Int { alone { waitingTotal } ?? 0 }

    /// A block of the size for `bytes`, aligned to a line of the cache. O(1) but for the heap.
    func take(_ bytes: Int) -> UnsafeMutableRawPointer {
        let size = PageBlocks.size(for: bytes)
        if size <= PageBlocks.largestBytes {
            let known = alone { waitingBlock(of: size) } ?? nil
            if let block = unsafe UnsafeMutableRawPointer(bitPattern: known ?? 0) {
                return unsafe block
            }
            if let block = unsafe heap.take(size) { return unsafe block }
        }
        return UnsafeMutableRawPointer.allocate(byteCount: size, alignment: PageLayout.lineBytes)
    }

    /// Gives a block of the size for `bytes` back: nobody reads it any more. O(1).
    func give(_ block: UnsafeMutableRawPointer, _ bytes: Int) {
        let size = PageBlocks.size(for: bytes)
        if size <= PageBlocks.largestBytes {
            let address = UInt(bitPattern: block)
            if alone({ keep(address, size) }) ?? false { return }
            if unsafe heap.give(block, size) { return }
        }
        unsafe block.deallocate()
    }

    private func waitingBlock(of size: Int) -> UInt? {
        guard let address = waiting[size / PageBlocks.stepBytes].popLast() else { return nil }
        waitingTotal -= size
        return address
    }

    private func keep(_ address: UInt, _ size: Int) -> Bool {
        guard waitingTotal + size <= PageBlocks.keptBytes else { return false }
        waiting[size / PageBlocks.stepBytes].append(address)
        waitingTotal += size
        return true
    }

    /// Does something while nobody else is at work here; nil when somebody is.
    @inline(__always)
    private func alone<Result>(_ body: () -> Result) -> Result? {
        guard !isBusy.exchange(true, ordering: .acquiring) else { return nil }
        defer { isBusy.store(false, ordering: .releasing) }
        return body()
    }
}
