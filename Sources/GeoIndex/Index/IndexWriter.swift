/// A change of one object in the index.
public struct ObjectEdit: Sendable {
    /// The object's id.
    public var id: String
    /// Where and what it is from now on; nil takes it out.
    public var placement: Placement?

    /// Creates a change.
    public init(id: String, placement: Placement?) {
        self.id = id
        self.placement = placement
    }
}

/// Makes the next snapshot out of the last one and a batch of changes, by copying one path for
/// each page that they touch. One writer belongs to one index; it is not shared.
struct IndexWriter {
    private(set) var snapshot: IndexSnapshot
    private var kinds: KindTable
    /// The Morton key of every object, by its packed id. Built when the first change comes, so
    /// that a layer that is only read does not pay for it.
    private var places: PlaceTable?
    /// Told of every change, for views.
    private let log: EditLog

    init(_ snapshot: IndexSnapshot, log: EditLog = EditLog()) {
        self.snapshot = snapshot
        self.log = log
        kinds = snapshot.kinds
    }

    /// Applies changes in order and returns the new snapshot.
    ///
    /// Nothing is changed when an id cannot be indexed.
    ///
    /// - Complexity: O(b log n + p) for b changes that touch p pages.
    mutating func apply(_ edits: [ObjectEdit]) throws(IDTable.Failure) -> IndexSnapshot {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(edits.count)
        for edit in edits { keys.append(try snapshot.ids.key(for: edit.id)) }
        kinds.reclaim(keeping: snapshot.rootKindCounts)
        var places = takePlaces()
        // Looks at all places first: these looks do not wait for one another, and find the table's
        // lines in the cache when it comes to the changes.
        var known = 0
        for key in keys where places[key.bits] != nil { known += 1 }
        var changes: [Change] = []
        changes.reserveCapacity(edits.count + known)
        var added = EntryBatch(fields: snapshot.fields)
        for (index, edit) in edits.enumerated() {
            let object = keys[index].bits
            let old = places[object]
            if let placement = edit.placement {
                let entry = IndexEntry(
                    object: keys[index], placement, kind: kinds.number(adding: placement.kind))
                if let old, old != entry.key {
                    changes.append(Change(key: old, object: object, entry: nil))
                }
                changes.append(Change(key: entry.key, object: object, entry: added.count))
                added.append(entry, of: placement)
                places[object] = entry.key
            } else if let old {
                changes.append(Change(key: old, object: object, entry: nil))
                places[object] = nil
            }
        }
        self.places = places
        let generation = snapshot.generation + 1
        var editor = TreeEditor(
            context: PageContext(kindHashes: kinds.hashes, generation: generation),
            fields: snapshot.fields, added: added)
        let root = editor.apply(Change.sorted(changes), to: snapshot.root)
        snapshot = IndexSnapshot(
            generation: generation, root: root, kinds: kinds, ids: snapshot.ids,
            fields: snapshot.fields,
            lostGeneration: max(snapshot.lostGeneration, editor.lostAtTop),
            memo: snapshot.memo)
        snapshot.memo.log.note(changes, generation: generation)
        log.note(changes, added, generation: generation)
        return snapshot
    }

    /// Takes out what has expired at an instant and returns the new snapshot; the old one when
    /// nothing has.
    ///
    /// - Complexity: O(log n) for each object that has.
    mutating func expire(at now: Int64) -> IndexSnapshot {
        let changes = snapshot.expired(at: now)
        if changes.isEmpty { return snapshot }
        if var places {
            self.places = nil  // so that changing the table does not copy it
            for change in changes { places[change.object] = nil }
            self.places = places
        }
        let (root, lost) = snapshot.removing(changes, generation: snapshot.generation + 1)
        snapshot = IndexSnapshot(
            generation: snapshot.generation + 1, root: root, kinds: snapshot.kinds,
            ids: snapshot.ids, fields: snapshot.fields, lostGeneration: lost,
            memo: snapshot.memo)
        snapshot.memo.log.note(changes, generation: snapshot.generation)
        log.note(changes, EntryBatch(fields: snapshot.fields), generation: snapshot.generation)
        return snapshot
    }

    /// The size of the table of places; 0 while there is none.
    var placeTableBytes: Int { places?.bytes ?? 0 }

    /// How many objects the table of places knows; nil while there is none.
    var knownPlaces: Int? { places?.count }

    /// Builds the table of places, if it is not there yet. O(n).
    mutating func prepare() {
        let known = takePlaces()
        places = known
    }

    /// Moves the table of places out, so that changing it does not copy it.
    private mutating func takePlaces() -> PlaceTable {
        if let known = places {
            places = nil
            return known
        }
        return PlaceTable(of: snapshot)
    }
}

/// What is to stand at one place of the order from now on: an entry, or nothing.
struct Change {
    var key: UInt64
    var object: UInt64
    /// Where the entry stands among those that come; nil when none is to stand here.
    var entry: Int?

    /// Changes by place, of those of one place the last.
    ///
    /// An object that changes more than once in a batch leaves, at each place where it has been,
    /// what the last change there says: nothing, but at its last place.
    static func sorted(_ changes: [Change]) -> [Change] {
        var order = changes.indices.map { (change: changes[$0], turn: $0) }
        order.sort {
            ($0.change.key, $0.change.object, $0.turn) < ($1.change.key, $1.change.object, $1.turn)
        }
        var result: [Change] = []
        result.reserveCapacity(order.count)
        for (change, _) in order {
            if let last = result.last, last.key == change.key && last.object == change.object {
                result[result.count - 1] = change
            } else {
                result.append(change)
            }
        }
        return result
    }
}
