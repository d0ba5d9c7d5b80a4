/// An object that a view shows in another way than the layer below it.
public struct ViewObject: Sendable {
    /// The object's key in the layer.
    public var key: ObjectKey
    /// What the view shows of it; nil when it has nothing of its own of the object (any more).
    public var placement: Placement?
    /// Where the layer shows the same object to everybody; nil when it does not.
    public var hidden: RoundedPosition?

    /// Creates what a view shows of an object.
    public init(key: ObjectKey, placement: Placement?, hidden: RoundedPosition? = nil) {
        self.key = key
        self.placement = placement
        self.hidden = hidden
    }
}

/// What one viewer sees of a layer: the layer's own state, and objects that are there for this
/// viewer alone or stand for him elsewhere than for the others.
///
/// Trees are persistent, so that a view is one more snapshot, which shares every page of the layer
/// that it does not differ in: all queries work on it unchanged, and an object is in it once. It is
/// a value that whoever keeps it brings up to date before each use.
///
///     var view = ViewIndex(over: layer, layer.current, own: objects)
///     if !view.advance(to: layer.current, own: changed) {
///         view = ViewIndex(over: layer, layer.current, own: objects, replacing: view)
///     }
///     view.expire(at: now)
///     view.snapshot.count
public struct ViewIndex: Sendable {
    /// What the viewer sees.
    public private(set) var snapshot: IndexSnapshot
    private let layer: LayerIndex
    /// The state of the layer below.
    private var base: IndexSnapshot
    /// Where the view's own entries stand, by object.
    private var own: [UInt64: Place] = [:]
    /// The last instant at which something was taken out that the layer still had.
    private var expired = Int64.min

    private struct Place {
        var key: UInt64
        var hidden: UInt64?
    }

    /// What resolved clusters may take that are the view's own: those of about a thousand places
    /// that were looked at, with 1,000 objects of the view's own among them.
    public static let defaultMemoBytes = 4 << 20
    /// Changes of the layer that are made up for however few objects a view has of its own.
    private static let fewChanges = 64

    /// Makes a view from the beginning.
    ///
    /// - Parameters:
    ///   - base: A state of the layer that was published.
    ///   - objects: All that the view has of its own, as of the same commit.
    ///   - former: The view in whose place this one comes; its snapshots' generations go on.
    /// - Complexity: O(o log n) for o objects.
    public init(
        over layer: LayerIndex, _ base: IndexSnapshot, own objects: [ViewObject],
        replacing former: ViewIndex? = nil, memoBytes: Int = ViewIndex.defaultMemoBytes
    ) {
        layer.edits.start(at: base.generation)
        self.layer = layer
        self.base = base
        expired = former?.expired ?? .min
        var edit = ViewEdit(fields: base.fields, kinds: base.kinds)
        for object in objects { edit.put(object, at: &own) }
        // Above those of all pages that are shared, and of all states before.
        let generation = max(base.generation, former?.snapshot.generation ?? 0) + 1
        snapshot = base
        snapshot = edit.applied(
            to: base, generation: generation, memo: ClusterMemo(limitBytes: memoBytes),
            underlay: nil)
        snapshot = IndexSnapshot(snapshot, underlay: underlay())
    }

    /// Whether the view is over this very state of the layer.
    public func isOver(_ base: IndexSnapshot) -> Bool { self.base === base }

    /// Brings the view to a later state of the layer.
    ///
    /// - Parameters:
    ///   - base: A state of the layer that was published.
    ///   - objects: What the view has of its own of all objects that were changed in between: by
    ///     the layer's changes of the same commits all others are kept up.
    /// - Returns: Whether the view is at that state. When it is not, so much was changed that it is
    ///   to be made anew; it is as it was.
    /// - Complexity: O((o + c) log n) for o objects and c changes of the layer.
    public mutating func advance(to base: IndexSnapshot, own objects: [ViewObject]) -> Bool {
        if base === self.base && objects.isEmpty { return true }
        let kinds = snapshot.kinds
        let hasOwnKinds = kinds.assigned != self.base.kinds.assigned
        // Numbers of kinds that the view gave out itself may be given to others by the layer.
        guard base.generation >= self.base.generation,
            base.kinds.reclaimed == self.base.kinds.reclaimed,
            !hasOwnKinds || base.kinds.assigned == self.base.kinds.assigned,
            kinds.assigned - self.base.kinds.assigned <= own.count + ViewIndex.fewChanges,
            let batches = layer.edits.batches(
                after: self.base.generation, through: base.generation,
                most: own.count + ViewIndex.fewChanges)
        else { return false }
        var edit = ViewEdit(
            fields: base.fields, kinds: hasOwnKinds ? kinds : base.kinds)
        var isChanged: Set<UInt64> = []
        var stays: Set<UInt64> = []
        for object in objects {
            isChanged.insert(object.key.bits)
            if object.placement != nil { stays.insert(object.key.bits) }
            if let place = own[object.key.bits] { edit.remove(object.key.bits, at: place.key) }
        }
        for batch in batches {
            for change in batch.changes {
                if stays.contains(change.object) {
                    edit.remove(change.object, at: change.key)
                } else if !isChanged.contains(change.object), let place = own[change.object] {
                    // Whatever the layer has of it, the view shows its own.
                    if place.key != change.key { edit.remove(change.object, at: change.key) }
                } else {
                    edit.take(change, of: batch.added)
                }
            }
        }
        let gone = keys(of: isChanged)
        for object in objects {
            own[object.key.bits] = nil
            edit.put(object, at: &own)
        }
        let former = snapshot
        self.base = base
        let differences = former.underlay?.keys.merged(
            without: gone, with: keys(of: isChanged))
        snapshot = edit.applied(
            to: former, generation: former.generation + 1, memo: former.memo,
            underlay: underlay(differences))
        return true
    }

    /// Takes out what has expired at an instant.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Complexity: O(1) when nothing has, else O(log n) for each object that has.
    public mutating func expire(at now: Int64) {
        guard snapshot.summary.expires <= now else { return }
        let changes = snapshot.expired(at: now)
        let generation = snapshot.generation + 1
        let (root, lost) = snapshot.removing(changes, generation: generation)
        // The layer may still have what is taken out here.
        if changes.contains(where: { own[$0.object] == nil }) { expired = max(expired, now) }
        let next = IndexSnapshot(
            generation: generation, root: root, kinds: snapshot.kinds, ids: snapshot.ids,
            fields: snapshot.fields, lostGeneration: lost, memo: snapshot.memo,
            underlay: underlay(snapshot.underlay?.keys))
        next.memo.log.note(changes, generation: generation)
        snapshot = next
    }

    /// Whether the view has something of its own of an object.
    public func hasOwn(_ key: ObjectKey) -> Bool { own[key.bits] != nil }

    /// How many objects the view has of its own.
    public var ownCount: Int { own.count }

    /// About how much memory the view takes beside the layer: a path of the tree for each object of
    /// its own at worst, where they stand, its clusters and its last changes.
    public var bytes: Int {
        min(own.count * 14_000, snapshot.count * 64) + own.count * 160
            + (snapshot.underlay?.keys.count ?? 0) * 8 + snapshot.memo.bytes
            + snapshot.memo.log.bytes
    }

    /// What lies below, unless the view lacks something there that has expired.
    private func underlay(_ known: [UInt64]? = nil) -> ViewUnderlay? {
        guard base.summary.expires > expired else { return nil }
        return ViewUnderlay(base: base, keys: known ?? keys(of: own.keys))
    }

    /// Where the view differs from the layer for the sake of some objects, ascending; a key comes as
    /// often as there are objects for whose sake it does.
    private func keys(of objects: some Collection<UInt64>) -> [UInt64] {
        var keys: [UInt64] = []
        keys.reserveCapacity(2 * objects.count)
        for object in objects {
            guard let place = own[object] else { continue }
            keys.append(place.key)
            if let hidden = place.hidden { keys.append(hidden) }
        }
        return keys.sorted()
    }

    /// Changes of a view's tree on their way.
    private struct ViewEdit {
        private var changes: [Change] = []
        private var added: EntryBatch
        private var kinds: KindTable

        init(fields: Int, kinds: KindTable) {
            added = EntryBatch(fields: fields)
            self.kinds = kinds
        }

        mutating func remove(_ object: UInt64, at key: UInt64) {
            changes.append(Change(key: key, object: object, entry: nil))
        }

        /// Takes over a change of the layer.
        mutating func take(_ change: Change, of batch: EntryBatch) {
            guard let entry = change.entry else {
                changes.append(change)
                return
            }
            changes.append(Change(key: change.key, object: change.object, entry: added.count))
            added.append(batch, entry)
        }

        /// Puts in what the view shows of an object, and hides what the layer does.
        mutating func put(_ object: ViewObject, at places: inout [UInt64: Place]) {
            guard let placement = object.placement else { return }
            let bits = object.key.bits
            let hidden = object.hidden.map { MortonKey(WorldPoint($0)).bits }
            if let hidden { remove(bits, at: hidden) }
            let entry = IndexEntry(
                object: object.key, placement, kind: kinds.number(adding: placement.kind))
            // One that was put in before under the same key gives way.
            if let place = places[bits], place.key != entry.key { remove(bits, at: place.key) }
            changes.append(Change(key: entry.key, object: bits, entry: added.count))
            added.append(entry, of: placement)
            places[bits] = Place(key: entry.key, hidden: hidden)
        }

        /// The state after the changes.
        consuming func applied(
            to former: IndexSnapshot, generation: UInt64, memo: ClusterMemo,
            underlay: ViewUnderlay?
        ) -> IndexSnapshot {
            var editor = TreeEditor(
                context: PageContext(kindHashes: kinds.hashes, generation: generation),
                fields: former.fields, added: added)
            let root = editor.apply(Change.sorted(changes), to: former.root)
            let next = IndexSnapshot(
                generation: generation, root: root, kinds: kinds, ids: former.ids,
                fields: former.fields,
                lostGeneration: max(former.lostGeneration, editor.lostAtTop), memo: memo,
                underlay: underlay)
            memo.log.note(changes, generation: generation)
            return next
        }
    }
}

extension IndexSnapshot {
    /// The same state over another one.
    fileprivate convenience init(_ other: IndexSnapshot, underlay: ViewUnderlay?) {
        self.init(
            generation: other.generation, root: other.root, kinds: other.kinds, ids: other.ids,
            fields: other.fields, lostGeneration: other.lostGeneration, memo: other.memo,
            underlay: underlay)
    }
}
