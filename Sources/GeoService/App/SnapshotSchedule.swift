/// When layers' snapshots are written while the service runs: once a layer has been quiet for a
/// minute, and each layer at most every ten minutes. A layer that changes all the time is written
/// at a stop: each change makes a snapshot useless.
struct SnapshotSchedule {
    typealias Instant = ContinuousClock.Instant

    static let quiet = Duration.seconds(60)
    static let interval = Duration.seconds(600)

    /// A state of a layer, told from its other states.
    struct Key: Hashable {
        var position: UInt64
        var epoch: UInt64
        var shape: UInt64
    }

    private struct Record {
        var key: Key
        /// Since when the layer has been in that state, as far as was seen.
        var since: Instant
        /// What was written last, or tried, and when.
        var written: Key?
        var writtenAt: Instant?
    }

    private var records: [String: Record] = [:]

    /// Notes that a layer is in some state.
    ///
    /// - Returns: Whether it is to be written now; then ``wrote(_:of:at:)`` is to follow.
    mutating func look(at key: Key, of layer: String, _ now: Instant) -> Bool {
        guard var record = records[layer] else {
            records[layer] = Record(key: key, since: now)
            return false
        }
        if record.key != key {
            record.key = key
            record.since = now
            records[layer] = record
        }
        return record.written != key && now - record.since >= SnapshotSchedule.quiet
            && record.writtenAt.map { now - $0 >= SnapshotSchedule.interval } ?? true
    }

    /// Notes that a state was written, or that writing it was tried.
    mutating func wrote(_ key: Key, of layer: String, at now: Instant) {
        records[layer]?.written = key
        records[layer]?.writtenAt = now
    }
}
