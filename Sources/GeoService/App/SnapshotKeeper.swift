import Dispatch
import GeoStore
import Synchronization

/// Writes layers' snapshots in the background and at the stop. It holds up neither who reads a
/// layer nor who writes: an index's states never change.
final class SnapshotKeeper: Sendable {
    private let catalog: LayerCatalog
    private let snapshots: LayerSnapshots
    private let schedule = Mutex(SnapshotSchedule())
    private let stopping = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private static let tick = DispatchTimeInterval.seconds(15)

    init(_ catalog: LayerCatalog, _ snapshots: LayerSnapshots) {
        self.catalog = catalog
        self.snapshots = snapshots
    }

    /// Begins, on a thread of its own.
    func start() {
        let isStarted = SystemThread.start { [self] in
            while stopping.wait(timeout: .now() + SnapshotKeeper.tick) == .timedOut {
                writeDue(at: .now)
            }
            ended.signal()
        }
        if !isStarted {
            Log.warning("the system gave no thread: snapshots are written at the stop alone")
            ended.signal()
        }
    }

    /// Ends the background's work, and waits for it. To be called once, after ``start()``.
    func stop() {
        stopping.signal()
        ended.wait()
    }

    /// Writes the layers whose turn it is.
    func writeDue(at now: ContinuousClock.Instant) {
        for state in catalog.states {
            let (key, layer) = (SnapshotSchedule.Key(state.label), state.label.layer)
            guard schedule.withLock({ $0.look(at: key, of: layer, now) }) else { continue }
            write(state)
            schedule.withLock { $0.wrote(key, of: layer, at: now) }
        }
    }

    /// Writes all layers that are not in their files as they are now. After the last commit.
    func writeAll() {
        for state in catalog.states { write(state) }
    }

    private func write(_ state: LayerState) {
        // After a start from a snapshot, and at most stops, it is there.
        if !snapshots.folder.holds(state.label) { snapshots.save(state) }
    }
}

extension SnapshotSchedule.Key {
    init(_ label: SnapshotLabel) {
        self.init(
            position: label.position.number, epoch: label.position.epoch, shape: label.shape)
    }
}
