import GeoIndex

/// The ids that a file has named: 8 bytes each, for files of any length.
///
/// An id of up to ten characters is kept exactly. Of a longer one a 60-bit hash is kept, so that
/// one in about 10^11 ids that the file does not name may be taken for one that it does, at ten
/// million: such an object stays where it is. An id that was named is never missed.
struct ImportedIDs {
    private var keys: [UInt64] = []
    private var isSorted = true

    /// Remembers an id. Amortised O(1).
    mutating func insert(_ id: String) {
        // The store checks ids; what cannot be an object's id names no object.
        guard let key = ObjectKey(packing: id) else { return }
        keys.append(key.bits)
        isSorted = false
    }

    /// Whether an id was named. O(log n); O(n log n) for the first call after an insertion.
    mutating func contains(_ id: String) -> Bool {
        guard let key = ObjectKey(packing: id)?.bits else { return false }
        if !isSorted {
            keys.sort()
            isSorted = true
        }
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key
    }
}
