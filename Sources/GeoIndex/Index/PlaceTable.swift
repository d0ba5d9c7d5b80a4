/// The Morton key of every object, by its packed id: a hash table in shards, so that growth moves
/// a few thousand entries, never all.
///
/// Within a shard slots are probed one after another (D. Knuth, "The Art of Computer Programming",
/// vol. 3, §6.4, algorithm L, and R for deletion without marks). A shard is filled to between 60
/// and 80 %: 20 to 27 bytes an object.
struct PlaceTable: Sendable {
    private var shards: [PlaceShard]
    /// How many bits of the hash choose the shard.
    private let shardBits: UInt64

    /// An empty table, made for about so many objects.
    init(expected: Int) {
        let wanted = max(1, expected / 8192)
        shardBits = UInt64(min(12, max(4, Int.bitWidth - wanted.leadingZeroBitCount)))
        shards = [PlaceShard](repeating: PlaceShard(), count: 1 << Int(shardBits))
    }

    /// The table of a snapshot's objects.
    ///
    /// Sorted by shard first, so that each is filled in the cache. O(n).
    init(of snapshot: IndexSnapshot) {
        self.init(expected: snapshot.count)
        var counter = ShardCounter(bits: shardBits, shards: shards.count)
        snapshot.walk(0...UInt64.max, &counter)
        var spreader = PlaceSpreader(bits: shardBits, ends: counter.counts, total: snapshot.count)
        snapshot.walk(0...UInt64.max, &spreader)
        var start = 0
        for shard in shards.indices {
            // By now the spreader stands at the end of each shard.
            let end = spreader.next[shard]
            shards[shard] = PlaceShard(spreader.objects[start..<end], spreader.keys[start..<end])
            start = end
        }
    }

    /// The key of an object; nil when it is not there. Setting nil removes it. O(1).
    subscript(object: UInt64) -> UInt64? {
        get {
            let hash = StableHash.finalize(object)
            return shards[shard(hash)].find(object, hash)
        }
        set {
            let hash = StableHash.finalize(object)
            if let newValue {
                shards[shard(hash)].set(object, hash, newValue)
            } else {
                shards[shard(hash)].remove(object, hash)
            }
        }
    }

    /// How many objects there are.
    var count: Int { shards.reduce(0) { $0 + $1.count } }
    /// How many bytes the table takes.
    var bytes: Int { shards.reduce(0) { $0 + $1.bytes } + 32 }

    private func shard(_ hash: UInt64) -> Int { Int(hash >> (64 - shardBits)) }
}

/// One part of a ``PlaceTable``.
private struct PlaceShard: Sendable {
    /// Objects and their keys by turns. No object is packed to 0, so that marks a free slot.
    private var slots: [UInt64] = []
    private(set) var count = 0

    init() {}

    init(_ objects: ArraySlice<UInt64>, _ keys: ArraySlice<UInt64>) {
        slots = [UInt64](repeating: 0, count: 2 * PlaceShard.capacity(for: objects.count))
        for (object, key) in zip(objects, keys) {
            insert(object, StableHash.finalize(object), key)
        }
    }

    var bytes: Int { 8 * slots.count + MemoryLayout<PlaceShard>.stride + 32 }
    private var capacity: Int { slots.count / 2 }

    /// Slots for so many entries, filled to two thirds; never full.
    private static func capacity(for count: Int) -> Int { count + count / 2 + 1 }

    /// The slot where a search begins: the hash's lower half scaled to the capacity, which is
    /// below 2^32.
    private func home(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: ((hash & 0xffff_ffff) &* UInt64(capacity)) &>> 32)
    }

    private func slot(_ object: UInt64, _ hash: UInt64) -> Int {
        let slots = slots.span
        var slot = home(hash)
        while slots[2 &* slot] != 0 && slots[2 &* slot] != object {
            slot &+= 1
            if slot == capacity { slot = 0 }
        }
        return slot
    }

    func find(_ object: UInt64, _ hash: UInt64) -> UInt64? {
        guard capacity > 0 else { return nil }
        let slot = slot(object, hash)
        return slots[2 * slot] == object ? slots[2 * slot + 1] : nil
    }

    mutating func set(_ object: UInt64, _ hash: UInt64, _ key: UInt64) {
        // Filled to four fifths, it grows.
        if 5 * (count + 1) > 4 * capacity { grow() }
        insert(object, hash, key)
    }

    private mutating func insert(_ object: UInt64, _ hash: UInt64, _ key: UInt64) {
        let slot = slot(object, hash)
        if slots[2 * slot] == 0 { count += 1 }
        slots[2 * slot] = object
        slots[2 * slot + 1] = key
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: 2 * max(4, PlaceShard.capacity(for: count + 1)))
        count = 0
        for slot in stride(from: 0, to: old.count, by: 2) where old[slot] != 0 {
            insert(old[slot], StableHash.finalize(old[slot]), old[slot + 1])
        }
    }

    mutating func remove(_ object: UInt64, _ hash: UInt64) {
        guard capacity > 0 else { return }
        var free = slot(object, hash)
        guard slots[2 * free] == object else { return }
        count -= 1
        // What was put past the free slot because it was taken moves into it.
        var slot = free
        while true {
            slot += 1
            if slot == capacity { slot = 0 }
            let other = slots[2 * slot]
            if other == 0 { break }
            let home = home(StableHash.finalize(other))
            // Its search does not pass the free slot when its home lies between, cyclically.
            let isBetween =
                free < slot ? free < home && home <= slot : free < home || home <= slot
            if isBetween { continue }
            slots[2 * free] = other
            slots[2 * free + 1] = slots[2 * slot + 1]
            free = slot
        }
        slots[2 * free] = 0
        slots[2 * free + 1] = 0
    }
}

/// Counts the objects of each shard.
private struct ShardCounter: RangeVisitor {
    let bits: UInt64
    private(set) var counts: [Int]

    init(bits: UInt64, shards: Int) {
        self.bits = bits
        counts = [Int](repeating: 0, count: shards)
    }

    func enters(_ summary: NodeSummary) -> Bool { true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        let objects = page.objects
        for index in range {
            counts[Int(StableHash.finalize(objects[index]) >> (64 - bits))] &+= 1
        }
    }
}

/// Sorts objects and their keys by shard.
private struct PlaceSpreader: RangeVisitor {
    let bits: UInt64
    /// Where the next entry of each shard goes.
    private(set) var next: [Int]
    private(set) var objects: [UInt64]
    private(set) var keys: [UInt64]

    init(bits: UInt64, ends counts: [Int], total: Int) {
        self.bits = bits
        next = counts
        var start = 0
        for shard in counts.indices {
            next[shard] = start
            start += counts[shard]
        }
        objects = [UInt64](repeating: 0, count: total)
        keys = objects
    }

    func enters(_ summary: NodeSummary) -> Bool { true }
    func takes(_ node: TreeNode) -> Bool { false }

    mutating func visit(_ page: LeafPage, _ range: Range<Int>) {
        let column = page.objects
        for index in range {
            let object = column[index]
            let shard = Int(StableHash.finalize(object) >> (64 - bits))
            objects[next[shard]] = object
            keys[next[shard]] = page.key(index)
            next[shard] &+= 1
        }
    }
}
