import GeoIndex
import GeoStore
import Synchronization

/// The fields of a layer's objects that queries have asked about, in memory.
///
/// The writer changes them together with the index, under one lock, and who asks takes both under
/// it: so an index and its columns always are of one commit. A field comes into being with the
/// first query about it, without values; they are read from the store as they are needed. From
/// then on every commit writes the values of the objects that it touches, whether they were there
/// or not, so that a value that was read meanwhile never takes the place of a newer one.
final class LayerColumns: Sendable {
    /// One field.
    private struct Column {
        /// Tells a field that went and came back from the one that was.
        let epoch: UInt64
        var table = ColumnTable()
        /// Requests that use it: then it stays, and what is deleted leaves a mark.
        var users = 0
        var lastUse: UInt64
    }

    private struct State {
        var columns: [WherePath: Column] = [:]
        var bytes = 0
        var epochs: UInt64 = 0
        var budget: ColumnBudget?
    }

    private let state = Mutex(State())

    deinit {
        let (budget, bytes) = state.withLock { ($0.budget, $0.bytes) }
        budget?.add(-bytes)
        budget?.forget(self)
    }

    /// A request's hold on some fields.
    struct Hold: Sendable {
        let paths: [WherePath]
        fileprivate let epochs: [UInt64]
    }

    /// Takes over committed changes and publishes them, as one step for all who ask.
    ///
    /// - Parameters:
    ///   - key: The key of an id in the layer's index.
    ///   - publish: Brings the index to the same commit.
    func apply(
        _ changes: [DocumentChange], key: (String) -> ObjectKey?, publish: () throws -> Void
    ) rethrows {
        let budget = try state.withLock { state -> ColumnBudget? in
            for path in state.columns.keys {
                LayerColumns.apply(changes, to: &state, path, key)
            }
            try publish()
            return state.budget
        }
        budget?.collect()
    }

    private static func apply(
        _ changes: [DocumentChange], to state: inout State, _ path: WherePath,
        _ key: (String) -> ObjectKey?
    ) {
        // Moved out, so that the table is not copied for being held twice.
        guard var column = state.columns.removeValue(forKey: path) else { return }
        let before = column.table.bytes
        for change in changes {
            guard let key = key(change.objectId)?.bits else { continue }
            if let after = change.after, change.locatedAfter != nil {
                column.table.set(key, MapField.value(path, of: after))
            } else if column.users > 0 {
                column.table.set(key, .missing)
            } else {
                column.table.remove(key)
            }
        }
        let difference = column.table.bytes - before
        state.bytes += difference
        state.budget?.add(difference)
        state.columns[path] = column
    }

    /// Takes hold of fields, which come into being where they are not there.
    func open(_ paths: [WherePath], budget: ColumnBudget) -> Hold {
        let use = budget.use()
        let epochs = state.withLock { state in
            state.budget = budget
            return paths.map { path in
                state.epochs += 1
                var column =
                    state.columns.removeValue(forKey: path)
                    ?? Column(epoch: state.epochs, lastUse: use)
                column.users += 1
                column.lastUse = use
                state.columns[path] = column
                return column.epoch
            }
        }
        budget.register(self)
        return Hold(paths: paths, epochs: epochs)
    }

    /// Lets go of fields.
    func close(_ hold: Hold) {
        state.withLock { state in
            for path in hold.paths { state.columns[path]?.users -= 1 }
        }
    }

    /// A state of the index with the values of the fields at the same commit.
    func view(_ hold: Hold, _ snapshot: () -> IndexSnapshot) -> (IndexSnapshot, [ColumnTable]) {
        state.withLock { state in
            (snapshot(), hold.paths.map { state.columns[$0]?.table ?? ColumnTable() })
        }
    }

    /// Adds values that were read from the store, where there is none yet.
    func insert(_ rows: some Sequence<(key: UInt64, values: [FieldValue])>, of hold: Hold) {
        state.withLock { state in
            for (number, path) in hold.paths.enumerated() {
                guard var column = state.columns.removeValue(forKey: path) else { continue }
                if column.epoch == hold.epochs[number] {
                    let before = column.table.bytes
                    for row in rows {
                        column.table.set(row.key, row.values[number], keepsOlder: true)
                    }
                    state.bytes += column.table.bytes - before
                    state.budget?.add(column.table.bytes - before)
                }
                state.columns[path] = column
            }
        }
    }

    /// When the field that was not used for longest was used last; nil when all are in use.
    var oldestUse: UInt64? {
        state.withLock { $0.columns.values.filter { $0.users == 0 }.map(\.lastUse).min() }
    }

    /// Lets the fields go that nobody uses and that were used last at that time.
    func drop(lastUsed use: UInt64) {
        let dropped = state.withLock { state in
            let paths = state.columns.filter { $0.value.users == 0 && $0.value.lastUse == use }.keys
            let dropped = paths.compactMap { state.columns.removeValue(forKey: $0) }
            let bytes = dropped.reduce(0) { $0 + $1.table.bytes }
            state.bytes -= bytes
            state.budget?.add(-bytes)
            return dropped
        }
        // Freed here, outside of the lock.
        withExtendedLifetime(dropped) {}
    }

    /// About how much memory the fields take.
    var bytes: Int { state.withLock { $0.bytes } }
}

/// The memory that all layers' columns may take together.
final class ColumnBudget: Sendable {
    private let limitBytes: Int
    private let taken = Atomic<Int>(0)
    private let uses = Atomic<UInt64>(0)
    /// All that were opened. A layer that was built anew takes its former fields with it.
    private let layers = Mutex<[ObjectIdentifier: Weak]>([:])

    private struct Weak {
        weak var columns: LayerColumns?
    }

    /// A budget of so many bytes.
    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// A number greater than all before.
    func use() -> UInt64 { uses.add(1, ordering: .relaxed).newValue }

    func add(_ bytes: Int) { taken.add(bytes, ordering: .relaxed) }

    func register(_ columns: LayerColumns) {
        layers.withLock { $0[ObjectIdentifier(columns)] = Weak(columns: columns) }
    }

    /// For columns that go: before another object can have their identity.
    fileprivate func forget(_ columns: LayerColumns) {
        layers.withLock { $0[ObjectIdentifier(columns)] = nil }
    }

    /// What all columns take.
    var takenBytes: Int { taken.load(ordering: .relaxed) }

    /// Lets fields go, those first that were not used for longest, until all fit or are in use.
    func collect() {
        while takenBytes > limitBytes {
            let layers = layers.withLock { $0.values.compactMap(\.columns) }
            let oldest = layers.compactMap { layer in layer.oldestUse.map { (layer, $0) } }
                .min { $0.1 < $1.1 }
            guard let (layer, use) = oldest else { return }
            layer.drop(lastUsed: use)
        }
    }
}
