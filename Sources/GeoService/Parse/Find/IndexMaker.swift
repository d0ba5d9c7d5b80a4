import GeoStore
import Synchronization

/// Makes indexes of fields that finds ask about again and again at great cost, and removes those
/// that nobody uses.
///
/// A find is slow that read many objects more than it gave. After some of them by callers who are
/// known, their field gets an index: in steps, each a job of the writer's with others between them.
/// A class has ``ValueIndex/greatestCount`` at most.
final class IndexMaker: Sendable {
    private let store: SQLiteStore
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    private struct Place: Hashable, Sendable {
        let className: String
        let field: String
    }

    private struct State {
        var slowFinds: [Place: Int] = [:]
        var lastUse: [Place: ContinuousClock.Instant] = [:]
        var lastSweep: ContinuousClock.Instant?
        var isWorking = false
        var queue: [Place] = []
    }

    /// How many objects a slow find reads more than it gives.
    static let slowReads = 1_000
    /// How many slow finds bring an index.
    static let slowFinds = 3
    /// How long an index stays that nobody uses.
    static let idleTime = Duration.seconds(7 * 86_400)
    /// How many fields are remembered of which a find was slow.
    private static let greatestMemory = 1_000
    private static let sweepInterval = Duration.seconds(3_600)

    init(
        store: SQLiteStore,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.store = store
        self.clock = clock
    }

    /// Notes how a find fared.
    func note(
        _ selection: ObjectSelection, of className: String, _ condition: Where?,
        _ identity: ParseIdentity
    ) {
        let now = clock()
        var isSweepDue = false
        state.withLock { state in
            if let field = selection.indexedField {
                state.lastUse[Place(className: className, field: field)] = now
            }
            isSweepDue = state.lastSweep.map { now - $0 >= Self.sweepInterval } ?? true
            if isSweepDue { state.lastSweep = now }
        }
        if isSweepDue { sweep() }
        guard identity.isMaster || identity.principals.userId != nil,
            selection.lookedAt - selection.ids.count > Self.slowReads,
            let field = condition?.indexableFields.first(where: { $0 != selection.indexedField })
        else { return }
        let place = Place(className: className, field: field)
        let isDue = state.withLock { state in
            if state.slowFinds.count >= Self.greatestMemory { state.slowFinds.removeAll() }
            state.slowFinds[place, default: 0] += 1
            guard state.slowFinds[place, default: 0] >= Self.slowFinds else { return false }
            state.slowFinds[place] = nil
            state.lastUse[place] = now
            return true
        }
        guard isDue else { return }
        // A queue that is full leaves it to the next slow finds.
        try? store.submit {
            try $0.declareIndex(field, of: className)
        } then: { [weak self] result in
            if case .success(true) = result { self?.work(at: place) }
        }
    }

    /// Goes on with what was begun before the service was stopped.
    func resume() {
        try? store.submit { transaction in
            var places: [Place] = []
            for name in transaction.catalog.classes.keys.sorted() {
                for index in try transaction.indexes(of: name) where index.state != .whole {
                    places.append(Place(className: name, field: index.field))
                }
            }
            return places
        } then: { [weak self] result in
            guard case .success(let places) = result else { return }
            for place in places { self?.work(at: place) }
        }
    }

    /// Begins to remove the indexes that nobody has used for long.
    private func sweep() {
        try? store.submit { transaction in
            try transaction.catalog.classes.keys.sorted().flatMap { name in
                try transaction.indexes(of: name).map {
                    Place(className: name, field: $0.field)
                }
            }
        } then: { [weak self] result in
            guard let self, case .success(let places) = result else { return }
            drop(idle(among: places))
        }
    }

    /// Those that were not used for long; one that is new to this process counts as used now.
    private func idle(among places: [Place]) -> [Place] {
        let now = clock()
        return state.withLock { state in
            places.filter { place in
                guard let last = state.lastUse[place] else {
                    state.lastUse[place] = now
                    return false
                }
                return now - last >= Self.idleTime
            }
        }
    }

    private func drop(_ places: [Place]) {
        for place in places {
            try? store.submit {
                try $0.dropIndex(place.field, of: place.className)
            } then: { [weak self] result in
                if case .success(true) = result { self?.work(at: place) }
            }
        }
    }

    // MARK: - Steps

    /// Builds or removes an index, after those before it.
    private func work(at place: Place) {
        let isFirst = state.withLock { state in
            if !state.queue.contains(place) { state.queue.append(place) }
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if isFirst { step() }
    }

    /// Does one step; the next one stands behind what was written meanwhile.
    private func step() {
        let next = state.withLock { state in
            if state.queue.isEmpty { state.isWorking = false }
            return state.queue.first
        }
        guard let next else { return }
        do {
            try store.submit {
                try $0.buildIndex(next.field, of: next.className)
            } then: { [weak self] result in
                guard let self else { return }
                let hasMore = (try? result.get()) ?? false
                if !hasMore { finish() }
                step()
            }
        } catch {
            // The store is busy or closed: it is gone on with after the next start or slow find.
            state.withLock { state in
                state.isWorking = false
                state.queue.removeAll()
            }
        }
    }

    private func finish() {
        state.withLock { state in
            if !state.queue.isEmpty { state.queue.removeFirst() }
        }
    }
}
