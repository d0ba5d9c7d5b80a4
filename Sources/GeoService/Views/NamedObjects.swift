import GeoIndex
import GeoStore
import JSONText
import Synchronization

/// The located objects of a class by the users whom they name in some fields: what is on the map of
/// a viewer to whom the class's permissions open nothing else.
///
/// Made when such a viewer first asks, since nobody else needs it; from then on told of every commit.
final class NamedObjects: Sendable {
    /// Tells it from those before it.
    let number = Layer.nextIndexNumber()
    /// The fields that are looked at.
    let pointerFields: [String]
    private let fields: LayerFields

    /// What an object is to those whom it names.
    fileprivate struct Entry {
        let users: [String]
        let readers: ReaderSet
        let owner: String?
        let shown: Placement
        /// What it is to its owner; nil when that is the same.
        let exact: Placement?
    }

    fileprivate struct State {
        var objects: [String: Entry] = [:]
        var byUser: [String: Set<String>] = [:]
        /// The objects that were changed last.
        var log: [String] = []
        /// Changes before those of the log.
        var forgotten = 0
        /// What was changed while the store is being read; nil afterwards.
        var changedMeanwhile: Set<String>? = []
    }

    /// Changes that are remembered at least.
    private static let logLength = 8_192

    private let state = Mutex(State())

    init(_ pointerFields: [String], of fields: LayerFields) {
        self.pointerFields = pointerFields
        self.fields = fields
    }

    /// Takes over committed changes of the class's objects, in order.
    func note(_ changes: [DocumentChange]) {
        state.withLock { state in
            for change in changes where change.locatedBefore != nil || change.locatedAfter != nil {
                let after = change.locatedAfter.flatMap { located in
                    change.after.flatMap { entry(located, $0) }
                }
                state.changedMeanwhile?.insert(change.objectId)
                if state.set(change.objectId, to: after) { state.log.append(change.objectId) }
            }
            if state.log.count > 2 * NamedObjects.logLength {
                let gone = state.log.count - NamedObjects.logLength
                state.log.removeFirst(gone)
                state.forgotten += gone
            }
        }
    }

    /// Reads what the store has; commits that are told of meanwhile are newer. Blocks.
    ///
    /// - Throws: What the store throws.
    /// - Complexity: O(objects of the class): some µs each.
    func fill(_ className: String, from store: SQLiteStore) throws {
        var found: [(String, Entry)] = []
        try store.read { reader in
            try reader.scanPlaces(className, onlyPublic: false) { located, document in
                if let entry = entry(located, document) { found.append((located.objectId, entry)) }
            }
        }
        // What the read may have seen, the observer has told of then.
        store.progress.waitForObserver()
        state.withLock { state in
            let changed = state.changedMeanwhile ?? []
            for (id, entry) in found where !changed.contains(id) { _ = state.set(id, to: entry) }
            state.changedMeanwhile = nil
        }
    }

    private func entry(_ located: LocatedObject, _ document: Document) -> Entry? {
        guard !located.readers.isNobody, let shown = fields.placement(of: located, document) else {
            return nil
        }
        let users = PointerLimit.users(named: pointerFields, in: document)
        if users.isEmpty { return nil }
        return Entry(
            users: users, readers: located.readers, owner: fields.owner(of: document),
            shown: shown, exact: fields.exact(located, document, shown: shown))
    }

    /// How the map of a viewer at an earlier position comes up to date.
    ///
    /// - Parameter position: Where it is; nil when there is none yet.
    /// - Returns: The position to ask from the next time, and what is to be put into the map and
    ///   taken out of it; `isAll` when the map is to be made anew of that.
    func changes(
        of viewer: Principals, since position: Int?
    ) -> (position: Int, isAll: Bool, edits: [ObjectEdit]) {
        state.withLock { state in
            let end = state.forgotten + state.log.count
            guard let user = viewer.userId else { return (end, true, []) }
            guard let position, position >= state.forgotten else {
                let edits = (state.byUser[user] ?? []).compactMap { id in
                    state.placement(of: id, to: user, viewer).map {
                        ObjectEdit(id: id, placement: $0)
                    }
                }
                return (end, true, edits)
            }
            let edits = Set(state.log[(position - state.forgotten)...]).map {
                ObjectEdit(id: $0, placement: state.placement(of: $0, to: user, viewer))
            }
            return (end, false, edits)
        }
    }
}

extension NamedObjects.State {
    /// - Returns: Whether somebody's map may have changed.
    fileprivate mutating func set(_ id: String, to entry: NamedObjects.Entry?) -> Bool {
        let before = objects.removeValue(forKey: id)
        for user in before?.users ?? [] {
            byUser[user]?.remove(id)
            if byUser[user]?.isEmpty == true { byUser[user] = nil }
        }
        guard let entry else { return before != nil }
        objects[id] = entry
        for user in entry.users { byUser[user, default: []].insert(id) }
        return true
    }

    /// What an object is on a user's map; nil when it is not on it.
    fileprivate func placement(
        of id: String, to user: String, _ viewer: Principals
    ) -> Placement? {
        guard let entry = objects[id], entry.users.contains(where: { $0.hasSameBytes(as: user) }),
            viewer.mayRead(entry.readers)
        else { return nil }
        return entry.owner == user ? entry.exact ?? entry.shown : entry.shown
    }
}

/// The map of a viewer who sees what names him, and nothing else: an index of its own.
final class NamedView: LayerSight {
    let number = Layer.nextIndexNumber()
    private let named: NamedObjects
    private let viewer: Principals

    private struct Known {
        var index: LayerIndex
        var position: Int
    }

    private let known = Mutex<Known?>(nil)

    init(_ named: NamedObjects, of viewer: Principals) {
        self.named = named
        self.viewer = viewer
    }

    /// - Complexity: O(1) while nothing changed, O(log n) for each change since the last call;
    ///   O(o log o) at first, for o objects that name the viewer.
    func current(of layer: Layer, at now: Timestamp) -> IndexSnapshot {
        known.withLock { known in
            let (position, isAll, edits) = named.changes(of: viewer, since: known?.position)
            var index = isAll ? nil : known?.index
            do throws(IDTable.Failure) {
                if let index {
                    if !edits.isEmpty { try index.apply(edits) }
                } else {
                    // The layer's own table of ids: what is known of its objects by their keys
                    // holds here too.
                    var builder = BulkBuilder(sharingIDsOf: layer.current)
                    for edit in edits {
                        if let placement = edit.placement {
                            try builder.add(id: edit.id, placement)
                        }
                    }
                    index = LayerIndex(builder.build(), clusterMemoBytes: NamedView.memoBytes)
                }
            } catch {
                // The store takes no id that an index does not.
                Log.warning("a view of \(layer.name) did not take a commit: \(error)")
            }
            guard let index else { return BulkBuilder(sharingIDsOf: layer.current).build() }
            known = Known(index: index, position: position)
            return index.current(at: now.milliseconds)
        }
    }

    /// Whose objects are read from the store first: that is never done at once.
    func currentAtOnce(of layer: Layer, at now: Timestamp) -> IndexSnapshot? { nil }

    /// What its clusters may take.
    private static let memoBytes = 256 << 10
    /// About what an object takes: its entry, and its place in the table of changes.
    private static let objectBytes = 160

    var bytes: Int {
        known.withLock { known in
            known.map { NamedView.memoBytes + $0.index.current.count * NamedView.objectBytes } ?? 0
        }
    }
}
