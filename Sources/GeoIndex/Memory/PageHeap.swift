import Synchronization

/// Memory for blocks of some kilobytes, cut from ``HugePages``: so a large page holds nothing but
/// blocks, and the blocks of an index lie in few of them.
///
/// A block is taken where the first of its length is free, so that what lives long moves together;
/// large pages of which nothing is left go back to the system when they are more than those in use,
/// so that an index which is built anew need not ask for all of its memory again.
///
/// Unchecked: `unsafe` for the pointers alone; what it keeps is behind a lock.
final class PageHeap: Sendable {
    /// Blocks are multiples of this, and begin at multiples.
    static let unitBytes = 256

    /// The large pages, and where each stands among them by its number: its address without the
    /// bits within it.
    fileprivate struct Stretches {
        var starts: [UInt] = []
        var free: [FreeUnits] = []
        var places: [UInt: Int] = [:]
        /// Of which the last block was cut.
        var last = 0
        var emptyCount = 0
    }

    private let stretches = Mutex(Stretches())

    /// How much was asked from the system.
    var mappedBytes: Int { stretches.withLock { $0.starts.count } * HugePages.bytes }

    deinit {
        stretches.withLock { stretches in
            for start in stretches.starts { PageHeap.unmap(start) }
        }
    }

    /// A block; nil when it is larger than a large page, or the system has none left.
    ///
    /// - Complexity: O(1) as long as the last large page has room, else O(large pages).
    func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let units = PageHeap.units(bytes)
        guard units > 0, units <= FreeUnits.count else { return nil }
        let address = stretches.withLock { $0.take(units) }
        return unsafe address.flatMap { unsafe UnsafeMutableRawPointer(bitPattern: $0) }
    }

    /// Takes a block of so many bytes back; false when it was not taken here. O(1).
    func give(_ block: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
        let address = UInt(bitPattern: block)
        return stretches.withLock { $0.give(address, PageHeap.units(bytes)) }
    }

    /// Units of a block, rounded up.
    private static func units(_ bytes: Int) -> Int { (bytes + unitBytes - 1) / unitBytes }

    fileprivate static func unmap(_ start: UInt) {
        if let start = unsafe UnsafeMutableRawPointer(bitPattern: start) {
            unsafe HugePages.unmap(start)
        }
    }
}

extension PageHeap.Stretches {
    fileprivate mutating func take(_ units: Int) -> UInt? {
        if last < free.count, let address = take(units, of: last) { return address }
        for place in free.indices where free[place].longestAtMost >= units {
            if let address = take(units, of: place) { return address }
        }
        guard let start = unsafe HugePages.map() else { return nil }
        let address = UInt(bitPattern: start)
        places[address] = starts.count
        starts.append(address)
        free.append(FreeUnits())
        emptyCount += 1
        return take(units, of: starts.count - 1)
    }

    private mutating func take(_ units: Int, of place: Int) -> UInt? {
        let wasEmpty = free[place].isEmpty
        guard let unit = free[place].take(units) else { return nil }
        if wasEmpty { emptyCount -= 1 }
        last = place
        return starts[place] + UInt(unit * PageHeap.unitBytes)
    }

    fileprivate mutating func give(_ address: UInt, _ units: Int) -> Bool {
        let offset = address & UInt(HugePages.bytes - 1)
        guard let place = places[address - offset] else { return false }
        free[place].give(Int(offset) / PageHeap.unitBytes, units)
        guard free[place].isEmpty else { return true }
        emptyCount += 1
        // One goes for each that is too many: twice as many were in use before.
        while emptyCount > 1, emptyCount > starts.count - emptyCount, let empty = emptyPlace {
            remove(empty)
        }
        return true
    }

    /// An empty large page, the last one.
    private var emptyPlace: Int? { free.lastIndex { $0.isEmpty } }

    /// Gives an empty large page back; the last one takes its place.
    private mutating func remove(_ place: Int) {
        let start = starts[place]
        places[start] = nil
        let moved = starts.removeLast()
        let rest = free.removeLast()
        if moved != start {
            starts[place] = moved
            free[place] = rest
            places[moved] = place
        }
        emptyCount -= 1
        PageHeap.unmap(start)
    }
}
