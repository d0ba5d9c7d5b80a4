import Dispatch
import GeoIndex
import Glibc
import Synchronization

/// Resolves the clusters of layers in the background, so that the first views find them: one layer
/// at a time, on a thread that runs when nothing else does.
final class ClusterPreparer: Sendable {
    private let catalog: LayerCatalog
    private let schedule = Mutex(ClusterSchedule())
    private let isStopped = Atomic(false)
    private let stopping = DispatchSemaphore(value: 0)

    private static let tick = DispatchTimeInterval.seconds(5)
    /// Deeper views hold few objects.
    private static let zooms = 0...16
    /// The lowest priority there is.
    private static let niceness: Int32 = 19

    init(_ catalog: LayerCatalog) { self.catalog = catalog }

    /// Begins, on a thread of its own.
    func start() {
        let isStarted = SystemThread.start { [self] in
            // On Linux this is the calling thread's alone; without it the work is done as well.
            _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, ClusterPreparer.niceness)
            repeat {
                prepareDue()
            } while stopping.wait(timeout: .now() + ClusterPreparer.tick) == .timedOut
        }
        if !isStarted {
            Log.warning("the system gave no thread: clusters are not resolved in advance")
        }
    }

    /// Ends the work. Does not wait for the thread: it has only memory, which states of indexes
    /// share by counting, and of the lowest priority it may get no turn for seconds.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        stopping.signal()
    }

    /// Prepares the layers whose turn it is, on this thread.
    ///
    /// - Complexity: O(layers), and for each that is due some microseconds for each of its clusters.
    func prepareDue() {
        for layer in catalog.all {
            if isStopped.load(ordering: .relaxed) { return }
            let snapshot = layer.current
            let isDue = schedule.withLock {
                $0.look(at: layer.name, indexNumber: layer.indexNumber, count: snapshot.count)
            }
            guard isDue else { continue }
            let radius = layer.settings.defaultClusterRadiusPixels
            // Small radii have no cells at the deepest zooms: those are left out.
            _ = try? snapshot.prepareClusters(radiusPixels: radius, zooms: ClusterPreparer.zooms) {
                !isStopped.load(ordering: .relaxed)
            }
        }
    }
}
