import GeoIndex
import GeoStore
import Synchronization

/// A class whose objects have places, and its live index.
///
/// What a layer is set to never changes: other settings make another value, which takes its place
/// in the ``LayerCatalog``. Whoever holds one sees settings and index that belong together.
final class Layer: Sendable {
    /// The class's name.
    let name: String
    /// What an operator has said about it.
    let settings: LayerSettings
    /// The index of its publicly readable objects.
    let index: LayerIndex
    /// Its objects that not everybody sees as they are.
    let hidden: HiddenObjects
    /// Its objects by whom they name, where permissions ask for it.
    let named: NamedObjectsHolder
    /// The fields that queries have asked about.
    let columns: LayerColumns
    /// Tells this index from those before it, whose generations are of other counts. Unique in
    /// this process.
    let indexNumber: UInt64
    private let scale: Mutex<HeatScale>
    private let known: Atomic<Bool>

    private static let lastIndexNumber = Atomic<UInt64>(0)

    /// A layer with an index of its own.
    ///
    /// - Parameters:
    ///   - isKnown: Whether it was one to everybody before: see ``isKnown``.
    ///   - clusterCacheBytes: The most memory that its resolved clusters may take.
    init(
        name: String, settings: LayerSettings = .none, snapshot: IndexSnapshot,
        hidden: HiddenObjects = HiddenObjects(), scale: HeatScale = .unfitted,
        isKnown: Bool = false,
        clusterCacheBytes: Int = ClusterMemo.defaultBytes
    ) {
        self.name = name
        self.settings = settings
        index = LayerIndex(snapshot, clusterMemoBytes: clusterCacheBytes)
        self.hidden = hidden
        named = NamedObjectsHolder()
        columns = LayerColumns()
        indexNumber = Layer.nextIndexNumber()
        self.scale = Mutex(scale)
        known = Atomic(isKnown || snapshot.count > 0)
    }

    /// The layer with other settings of an operator that ask for the same index.
    init(_ former: Layer, settings: LayerSettings, scale: HeatScale) {
        name = former.name
        self.settings = settings
        index = former.index
        hidden = former.hidden
        named = former.named
        columns = former.columns
        indexNumber = former.indexNumber
        self.scale = Mutex(scale)
        known = Atomic(true)
    }

    /// A number that no index had before, nor a view of one.
    static func nextIndexNumber() -> UInt64 {
        lastIndexNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Whether it is a layer to everybody who may look for its objects: because an operator has set
    /// it up, or because it has or had something for everybody. What is
    /// private makes no layer for others.
    var isKnown: Bool { known.load(ordering: .acquiring) }

    /// The newest state, with what has expired: for what answers nobody.
    var current: IndexSnapshot { index.current }

    /// The newest state without what has expired. Take it once for each request.
    ///
    /// - Parameter now: The request's one reading of the clock.
    func current(at now: Timestamp) -> IndexSnapshot { index.current(at: now.milliseconds) }

    /// The colour scale of its heat.
    var heatScale: HeatScale {
        get { scale.withLock { $0 } }
        set { scale.withLock { $0 = newValue } }
    }

    /// Takes over committed changes of the class's objects, in order.
    func apply(_ changes: [DocumentChange]) throws {
        let edits = changes.compactMap { settings.fields.layerEdit(of: $0) }
        if edits.isEmpty { return }
        let ids = index.current
        try columns.apply(changes) {
            ids.objectKey(for: $0)
        } publish: {
            try take(edits)
        }
        named.note(changes)
    }

    /// Brings the index and the hidden objects to a commit, as one step.
    func take(_ edits: [LayerEdit]) throws {
        let ids = index.current
        try hidden.apply(edits) {
            ids.objectKey(for: $0)
        } publish: {
            try index.apply(edits.map(\.objectEdit))
        }
        if !isKnown, index.current.count > 0 { known.store(true, ordering: .releasing) }
    }
}
