import GeoIndex
import GeoStore

/// Layers' indexes in files, so that a start need not read every object of the store.
struct LayerSnapshots: Sendable {
    let folder: SnapshotFolder
    /// Layers with fewer objects are not kept: the store gives them in some milliseconds.
    let leastObjects: Int
    /// Whether what is done is logged; a command that prints its own report is quiet.
    let isLogged: Bool

    init(_ folder: SnapshotFolder, leastObjects: Int = 10_000, isLogged: Bool = true) {
        self.folder = folder
        self.leastObjects = leastObjects
        self.isLogged = isLogged
    }

    /// A layer's index: its snapshot when that is of the store's present state, else what the
    /// store has. Logs which, and why.
    ///
    /// - Parameter position: That of the class in `reader`'s state.
    /// - Throws: What the store throws; ``IDTable/Failure``.
    func index(
        of name: String, _ fields: LayerFields, at position: CommitPosition?,
        in reader: borrowing Reader
    ) throws -> IndexSnapshot {
        let began = ContinuousClock.now
        let reason: SnapshotFailure
        do throws(SnapshotFailure) {
            guard let position else { throw .file(.missing) }
            let snapshot = try folder.load(
                SnapshotLabel(layer: name, position: position, shape: fields.shape))
            log(
                "layer \(name): \(snapshot.count) objects from its snapshot"
                    + took(since: began))
            return snapshot
        } catch {
            reason = error
            // Its label may still say that it is of this state: a good one is to take its place.
            if error.isDamage { folder.remove(layer: name) }
        }
        let snapshot = try fields.snapshot(of: name, in: reader)
        let read = "layer \(name): \(snapshot.count) objects read from the store"
        if case .file(.missing) = reason {
            // So it is with small layers always, and with others until they are first kept.
            log(read + took(since: began))
        } else {
            log(read + "\(took(since: began)); its snapshot was not used: \(reason)")
        }
        return snapshot
    }

    /// Keeps a layer's index, when it is worth it. A failure is logged and does no harm.
    func save(_ state: LayerState) {
        guard state.snapshot.count >= leastObjects else { return }
        let began = ContinuousClock.now
        do throws(SnapshotFileError) {
            try folder.save(state.snapshot, state.label)
            log(
                "layer \(state.label.layer): snapshot of \(state.snapshot.count) objects written"
                    + took(since: began))
        } catch {
            Log.warning("the snapshot of layer \(state.label.layer) was not written: \(error)")
        }
    }

    private func log(_ message: String) {
        if isLogged { Log.info(message) }
    }

    private func took(since began: ContinuousClock.Instant) -> String {
        " in \(Int(((ContinuousClock.now - began) / .milliseconds(1)).rounded())) ms"
    }
}

extension LayerFields {
    /// Grows when the service comes to index the same objects in another way.
    private static let revision: UInt64 = 1

    /// A hash of all that decides what the index is told of the class's objects.
    var shape: UInt64 {
        var hash = StableHash()
        hash.combine(LayerFields.revision)
        for field in [location, kind, weight, time, expires, owner] {
            hash.combine(field == nil ? 0 : 1)
            hash.combine(bytes: (field ?? "").utf8)
        }
        if areUsers { hash.combine(1) }
        hash.combine(UInt64(aggregatedFields.count))
        for field in aggregatedFields { hash.combine(bytes: field.utf8) }
        return hash.value
    }
}
