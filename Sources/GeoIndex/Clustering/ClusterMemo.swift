import Synchronization

/// Remembers units of resolved clusters for all snapshots of one layer.
///
/// Nothing is taken out when something is written: a unit knows what it depends on, and the next
/// reader who asks for it proves it again or takes it out. When there is no room left, units
/// go that were not asked for since the hand last came by (F. J. Corbató, "A paging experiment
/// with the Multics system", 1968). Locks are held for a look-up only.
public final class ClusterMemo: Sendable {
    /// The most memory that an index's memo takes, unless another bound is given.
    public static let defaultBytes = 64 << 20

    /// The number of this memo: units of other layers are told apart by it.
    let lineage = ClusterMemo.lineages.add(1, ordering: .relaxed).newValue
    /// The most memory that the units may take.
    let limitBytes: Int
    private let shards: [ClusterMemoShard]
    /// Where the layer has changed of late.
    let log: ChangeLog
    /// What was asked for once.
    let door: UnitDoor
    /// The clusters of low zooms.
    let worlds: WorldMemo

    private static let lineages = Atomic<UInt64>(0)
    private static let shardBits: UInt64 = 4
    /// Those of two radii and two filters; at most a tenth of the limit.
    private static let mostWorldBytes = 16 << 20

    init(limitBytes: Int = ClusterMemo.defaultBytes) {
        self.limitBytes = max(0, limitBytes)
        door = UnitDoor(mostBytes: max(0, limitBytes) / 64)
        log = ChangeLog(mostBytes: max(0, limitBytes) / 16)
        worlds = WorldMemo(mostBytes: min(ClusterMemo.mostWorldBytes, max(0, limitBytes) / 10))
        let rest = max(0, limitBytes) - door.bytes - worlds.mostBytes
        let limit = rest >> Int(ClusterMemo.shardBits)
        shards = (0..<(1 << ClusterMemo.shardBits)).map { _ in ClusterMemoShard(limit: limit) }
    }

    /// About how much memory the remembered units take, and the marks of others.
    public var bytes: Int { shards.reduce(door.bytes + worlds.bytes) { $0 + $1.bytes } }

    /// The most memory that there is for units.
    var unitLimitBytes: Int { max(0, limitBytes) - worlds.mostBytes }

    /// How many units are remembered.
    var count: Int { shards.reduce(0) { $0 + $1.count } }

    /// The unit that was last stored for a question; it need not hold any more.
    @inline(__always)
    func unit(_ key: UInt64, of question: ClusterQuestion) -> ClusterUnit? {
        let hash = question.hash(ofUnit: key)
        guard let unit = shard(hash).unit(hash), unit.key == key, unit.question.isSame(as: question)
        else { return nil }
        return unit
    }

    /// Stores a unit, unless one is there that holds for a newer generation.
    func insert(_ unit: ClusterUnit) {
        let hash = unit.question.hash(ofUnit: unit.key)
        shard(hash).insert(unit, hash)
    }

    /// Counts memory that a unit has taken since it was stored.
    func charge(_ unit: ClusterUnit, bytes: Int) {
        let hash = unit.question.hash(ofUnit: unit.key)
        shard(hash).charge(unit, hash, bytes: bytes)
    }

    /// Forgets units that do not hold any more.
    func remove(_ units: [ClusterUnit]) {
        for unit in units {
            let hash = unit.question.hash(ofUnit: unit.key)
            shard(hash).remove(unit, hash)
        }
    }

    /// Forgets everything.
    func removeAll() {
        for shard in shards { shard.removeAll() }
        door.removeAll()
        worlds.removeAll()
    }

    private func shard(_ hash: UInt64) -> ClusterMemoShard {
        shards[Int(hash >> (64 - ClusterMemo.shardBits))]
    }
}

/// A part of a memo with a lock of its own.
private final class ClusterMemoShard: Sendable {
    fileprivate struct Slot {
        var hash: UInt64
        var unit: ClusterUnit
        var bytes: Int
        var isUsed: Bool
    }

    fileprivate struct State {
        var slots: [Slot] = []
        var places: [UInt64: Int] = [:]
        var hand = 0
        var bytes = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    var bytes: Int { state.withLock { $0.bytes } }
    var count: Int { state.withLock { $0.slots.count } }

    func unit(_ hash: UInt64) -> ClusterUnit? {
        state.withLock { state in
            guard let place = state.places[hash] else { return nil }
            state.slots[place].isUsed = true
            return state.slots[place].unit
        }
    }

    func insert(_ unit: ClusterUnit, _ hash: UInt64) {
        let bytes = unit.bytes
        guard bytes <= limit else { return }
        let evicted = state.withLock { state -> [ClusterUnit] in
            var gone: [ClusterUnit] = []
            if let place = state.places[hash] {
                let known = state.slots[place].unit
                guard known.provedGeneration < unit.provedGeneration || known.key != unit.key
                else { return [] }
                gone.append(known)
                state.bytes += bytes - state.slots[place].bytes
                state.slots[place] = Slot(hash: hash, unit: unit, bytes: bytes, isUsed: true)
            } else {
                state.places[hash] = state.slots.count
                state.slots.append(Slot(hash: hash, unit: unit, bytes: bytes, isUsed: false))
                state.bytes += bytes
            }
            state.shrink(to: limit, into: &gone)
            return gone
        }
        _ = evicted  // freed here, outside of the lock
    }

    func charge(_ unit: ClusterUnit, _ hash: UInt64, bytes: Int) {
        let evicted = state.withLock { state -> [ClusterUnit] in
            guard let place = state.places[hash], state.slots[place].unit === unit else {
                return []
            }
            state.slots[place].bytes += bytes
            state.bytes += bytes
            var gone: [ClusterUnit] = []
            state.shrink(to: limit, into: &gone)
            return gone
        }
        _ = evicted
    }

    func remove(_ unit: ClusterUnit, _ hash: UInt64) {
        state.withLock { state in
            guard let place = state.places[hash], state.slots[place].unit === unit else { return }
            state.remove(place)
        }
    }

    func removeAll() {
        var last = State()
        state.withLock { swap(&$0, &last) }
    }
}

extension ClusterMemoShard.State {
    /// Takes out units that were not used since the hand last came by, until the rest fit.
    fileprivate mutating func shrink(to limit: Int, into gone: inout [ClusterUnit]) {
        while bytes > limit && !slots.isEmpty {
            if hand >= slots.count { hand = 0 }
            if slots[hand].isUsed {
                slots[hand].isUsed = false
                hand += 1
                continue
            }
            gone.append(slots[hand].unit)
            // The last one takes the place, and is the next to be looked at.
            remove(hand)
        }
    }

    /// Takes out the unit at a place; the last one takes the place.
    fileprivate mutating func remove(_ place: Int) {
        bytes -= slots[place].bytes
        places[slots[place].hash] = nil
        let last = slots.removeLast()
        if place < slots.count {
            slots[place] = last
            places[last.hash] = place
        }
    }
}
