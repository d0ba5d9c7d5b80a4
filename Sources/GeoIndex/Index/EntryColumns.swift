/// Entries as parallel arrays, while pages are being made of them.
struct EntryColumns: Sendable {
    var keys: [UInt64] = []
    var objects: [UInt64] = []
    var lonE7: [Int32] = []
    var latE7: [Int32] = []
    var kinds: [UInt16] = []
    var weights: [UInt32] = []
    var times: [Int64] = []
    var contents: [UInt64] = []

    var count: Int { keys.count }

    mutating func reserve(_ capacity: Int) {
        keys.reserveCapacity(capacity)
        objects.reserveCapacity(capacity)
        lonE7.reserveCapacity(capacity)
        latE7.reserveCapacity(capacity)
        kinds.reserveCapacity(capacity)
        weights.reserveCapacity(capacity)
        times.reserveCapacity(capacity)
        contents.reserveCapacity(capacity)
    }

    mutating func append(_ entry: IndexEntry) {
        keys.append(entry.key)
        objects.append(entry.object)
        lonE7.append(entry.lonE7)
        latE7.append(entry.latE7)
        kinds.append(entry.kind)
        weights.append(entry.weight)
        times.append(entry.time)
        contents.append(entry.content)
    }

    mutating func append(_ page: LeafPage, _ range: Range<Int>) {
        keys.append(contentsOf: page.keys[range])
        objects.append(contentsOf: page.objects[range])
        lonE7.append(contentsOf: page.lonE7[range])
        latE7.append(contentsOf: page.latE7[range])
        kinds.append(contentsOf: page.kinds[range])
        weights.append(contentsOf: page.weights[range])
        times.append(contentsOf: page.times[range])
        contents.append(contentsOf: page.contents[range])
    }

    /// The entries of a range as columns of their own; all of them share the storage.
    func slice(_ range: Range<Int>) -> EntryColumns {
        if range == 0..<count { return self }
        return EntryColumns(
            keys: Array(keys[range]), objects: Array(objects[range]), lonE7: Array(lonE7[range]),
            latE7: Array(latE7[range]), kinds: Array(kinds[range]), weights: Array(weights[range]),
            times: Array(times[range]), contents: Array(contents[range]))
    }

    /// Cuts sorted columns into pages of nearly equal size, none over `target`.
    func pages(target: Int, kindHashes: [UInt64]) -> [LeafPage] {
        guard count > 0 else { return [] }
        let parts = (count + target - 1) / target
        return (0..<parts).map { part in
            LeafPage(
                self, (part * count / parts)..<((part + 1) * count / parts),
                kindHashes: kindHashes)
        }
    }
}
