import GeoIndex

/// What one request has found out about objects: passes, or not. Each object is judged once,
/// however often an answer looks at it.
struct VerdictTable {
    /// Slots in a row; a power of two. 0 is free: no object has the key 0.
    private var keys: [UInt64]
    private var verdicts: [Bool]
    private(set) var count = 0

    /// A table without verdicts.
    init() {
        keys = [UInt64](repeating: 0, count: 1_024)
        verdicts = [Bool](repeating: false, count: 1_024)
    }

    /// The verdict of an object; nil before there is one. O(1).
    subscript(key: UInt64) -> Bool? {
        let slot = slot(of: key)
        return keys[slot] == key ? verdicts[slot] : nil
    }

    /// Keeps the verdict of an object that had none. O(1) amortised.
    mutating func insert(_ key: UInt64, _ verdict: Bool) {
        let slot = slot(of: key)
        keys[slot] = key
        verdicts[slot] = verdict
        count += 1
        if 2 * count > keys.count { grow() }
    }

    /// Where the key stands, or would.
    @inline(__always)
    private func slot(of key: UInt64) -> Int {
        let mask = keys.count - 1
        var slot = Int(truncatingIfNeeded: StableHash.finalize(key)) & mask
        while keys[slot] != 0 && keys[slot] != key { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = (keys, verdicts)
        keys = [UInt64](repeating: 0, count: 2 * old.0.count)
        verdicts = [Bool](repeating: false, count: keys.count)
        for index in old.0.indices where old.0[index] != 0 {
            let slot = slot(of: old.0[index])
            keys[slot] = old.0[index]
            verdicts[slot] = old.1[index]
        }
    }
}
