import Glibc

/// Asks the system for large pages of memory.
///
/// Whoever reads a few places somewhere in hundreds of megabytes finds hardly one of them in the
/// processor's table of translated addresses when pages have 4 KiB, and waits for the walk through
/// the system's tables. With pages of 2 MiB the table covers an index of a few million objects.
///
/// Only a hint: Linux gives large pages where it can and may (transparent huge pages, mode
/// `madvise` or `always`; madvise(2), MADV_HUGEPAGE), and a refusal changes nothing but the speed.
enum HugePages {
    /// Bytes of a large page, and what its address is a multiple of.
    static let bytes = 2 << 20

    /// Hints that what is whole within some memory, before it is first touched, is to be made of
    /// large pages. O(1).
    static func advise(_ start: UnsafeMutableRawPointer, _ count: Int) {
        let first = (UInt(bitPattern: start) &+ UInt(bytes - 1)) & ~UInt(bytes - 1)
        let end = (UInt(bitPattern: start) &+ UInt(count)) & ~UInt(bytes - 1)
        guard first < end, let address = unsafe UnsafeMutableRawPointer(bitPattern: first) else {
            return
        }
        _ = unsafe madvise(address, Int(end &- first), MADV_HUGEPAGE)
    }

    /// The same for the elements of a buffer.
    static func advise<Element>(_ buffer: UnsafeMutableBufferPointer<Element>) {
        guard let start = buffer.baseAddress else { return }
        unsafe advise(
            UnsafeMutableRawPointer(start), buffer.count * MemoryLayout<Element>.stride)
    }

    /// Memory of one large page, all zeros; nil when the system has none left.
    static func map() -> UnsafeMutableRawPointer? {
        // Twice as much has a multiple of its size in it; what is before and after goes back.
        let length = 2 * bytes
        let mapped = unsafe mmap(
            nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return nil }
        let before = -Int(bitPattern: mapped) & (bytes - 1)
        let start = unsafe mapped + before
        if before > 0 { _ = unsafe munmap(mapped, before) }
        _ = unsafe munmap(start + bytes, length - bytes - before)
        unsafe advise(start, bytes)
        return unsafe start
    }

    /// Gives the memory of one large page back, which nobody reads any more.
    static func unmap(_ start: UnsafeMutableRawPointer) { _ = unsafe munmap(start, bytes) }
}
