import GeoIndex
import GeoStore

/// One field of many objects: a hash table from objects' keys to values.
///
/// A value in Swift's sense: a copy keeps what it had while the other is changed. The table is a
/// tree of three levels of arrays, so that a change beside a copy that somebody holds copies one
/// bucket of about 64 entries, one group of 256 buckets and the list of groups, not the table.
struct ColumnTable: Sendable {
    /// Entries of one hash range, in no order.
    private struct Bucket: Sendable {
        var keys: [UInt64] = []
        var values: [FieldValue] = []
    }

    /// Buckets of one group.
    private static let groupBits = 8
    /// Entries of a bucket, on average, at which the table doubles.
    private static let fullBucket = 64
    /// What an entry takes beside its value's own heap: key, value and room to grow.
    static let entryBytes = 48

    private var groups: [[Bucket]] = [[Bucket()]]
    /// log2 of the number of buckets.
    private var bits = 0
    private(set) var count = 0
    /// About how much memory all of it takes.
    private(set) var bytes = 0

    /// The value of an object; nil when it was not put in. O(1).
    subscript(key: UInt64) -> FieldValue? {
        let (group, bucket) = place(of: key)
        let keys = groups[group][bucket].keys
        for index in keys.indices where keys[index] == key {
            return groups[group][bucket].values[index]
        }
        return nil
    }

    /// Puts in a value, in the place of an older one unless `keepsOlder`. O(1) amortised.
    mutating func set(_ key: UInt64, _ value: FieldValue, keepsOlder: Bool = false) {
        let (group, bucket) = place(of: key)
        if let index = groups[group][bucket].keys.firstIndex(of: key) {
            if keepsOlder { return }
            bytes += value.heapBytes - groups[group][bucket].values[index].heapBytes
            groups[group][bucket].values[index] = value
            return
        }
        groups[group][bucket].keys.append(key)
        groups[group][bucket].values.append(value)
        count += 1
        bytes += ColumnTable.entryBytes + value.heapBytes
        if count > ColumnTable.fullBucket << bits { grow() }
    }

    /// Takes out a value. O(1).
    mutating func remove(_ key: UInt64) {
        let (group, bucket) = place(of: key)
        guard let index = groups[group][bucket].keys.firstIndex(of: key) else { return }
        bytes -= ColumnTable.entryBytes + groups[group][bucket].values[index].heapBytes
        count -= 1
        let last = groups[group][bucket].keys.count - 1
        groups[group][bucket].keys.swapAt(index, last)
        groups[group][bucket].values.swapAt(index, last)
        groups[group][bucket].keys.removeLast()
        groups[group][bucket].values.removeLast()
    }

    @inline(__always)
    private func place(of key: UInt64) -> (group: Int, bucket: Int) {
        let number = bits == 0 ? 0 : Int(StableHash.finalize(key) >> UInt64(64 - bits))
        return (number >> ColumnTable.groupBits, number & ((1 << ColumnTable.groupBits) - 1))
    }

    /// Doubles the buckets: the halves of one stand side by side.
    private mutating func grow() {
        let old = groups
        bits += 1
        let buckets = 1 << bits
        let perGroup = 1 << ColumnTable.groupBits
        groups = stride(from: 0, to: buckets, by: perGroup).map {
            [Bucket](repeating: Bucket(), count: min(perGroup, buckets - $0))
        }
        for group in old {
            for bucket in group {
                for index in bucket.keys.indices {
                    let (group, place) = place(of: bucket.keys[index])
                    groups[group][place].keys.append(bucket.keys[index])
                    groups[group][place].values.append(bucket.values[index])
                }
            }
        }
    }
}
