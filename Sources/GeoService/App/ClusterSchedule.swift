/// When a layer's clusters are resolved in the background: once it has stopped growing fast, and
/// again when it is another index or has grown or shrunk by a quarter.
struct ClusterSchedule {
    /// Layers with fewer objects answer fast enough without.
    static let leastObjects = 1_000

    private struct Record {
        /// The index and its size when they were last seen, and when they were last prepared.
        var indexNumber: UInt64
        var count: Int
        var prepared: Int?
    }

    private var records: [String: Record] = [:]

    /// Notes what a layer is now. O(1).
    ///
    /// - Returns: Whether it is to be prepared now; this counts as done.
    mutating func look(at name: String, indexNumber: UInt64, count: Int) -> Bool {
        guard var record = records[name], record.indexNumber == indexNumber else {
            // Just started or rebuilt: it has all objects that it will have for now.
            let isDue = count >= ClusterSchedule.leastObjects
            records[name] = Record(
                indexNumber: indexNumber, count: count, prepared: isDue ? count : nil)
            return isDue
        }
        let before = record.count
        record.count = count
        defer { records[name] = record }
        // An import under way would undo most of the work.
        let isSteady = abs(count - before) <= before / 100
        let hasChanged = record.prepared.map { abs(count - $0) >= max(1, $0 / 4) } ?? true
        guard isSteady, hasChanged, count >= ClusterSchedule.leastObjects else { return false }
        record.prepared = count
        return true
    }
}
