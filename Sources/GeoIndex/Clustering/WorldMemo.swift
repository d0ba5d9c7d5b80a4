import Synchronization

/// Keeps the worlds of low zooms between questions.
///
/// Who asks takes a world out, brings it up to date and puts it back: no reader waits for another,
/// and none sees a world that is being changed. Who finds none makes a new one.
final class WorldMemo: Sendable {
    /// The most memory that the worlds may take.
    let mostBytes: Int
    private let state = Mutex(State())

    private struct State {
        /// The one that was used last comes last.
        var worlds: [(world: WorldClusters, bytes: Int)] = []
        var bytes = 0

        mutating func remove(_ place: Int) -> WorldClusters {
            let (world, bytes) = worlds.remove(at: place)
            self.bytes -= bytes
            return world
        }
    }

    init(mostBytes: Int) { self.mostBytes = mostBytes }

    /// About how much memory is taken.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Takes the world of a question out.
    func take(_ question: ClusterQuestion) -> WorldClusters? {
        state.withLock { state in
            guard
                let place = state.worlds.firstIndex(where: {
                    $0.world.question.isSame(as: question)
                })
            else { return nil }
            return state.remove(place)
        }
    }

    /// Puts a world back, unless a newer one is there; those that were not used for long go when
    /// there is no room.
    func keep(_ world: WorldClusters) {
        let bytes = world.bytes
        guard bytes <= mostBytes else { return }
        var gone: [WorldClusters] = []  // freed outside of the lock
        state.withLock { state in
            if let place = state.worlds.firstIndex(where: {
                $0.world.question.isSame(as: world.question)
            }) {
                if state.worlds[place].world.generation > world.generation { return }
                gone.append(state.remove(place))
            }
            state.worlds.append((world, bytes))
            state.bytes += bytes
            while state.bytes > mostBytes { gone.append(state.remove(0)) }
        }
    }

    /// Forgets everything.
    func removeAll() { state.withLock { $0 = State() } }
}

extension IndexSnapshot {
    /// All clusters of a low zoom, in units; nil for other zooms, views on an index, and states that
    /// are older than what is kept.
    ///
    /// - Complexity: As of ``WorldClusters/update(to:_:)``; O(units) when nothing was written.
    func worldUnits(_ question: ClusterQuestion) -> [ClusterUnit]? {
        guard underlay == nil, question.isMemorable,
            WorldClusters.levels.contains(question.options.level),
            WorldClusters.leastBytes(question.options) <= memo.worlds.mostBytes
        else { return nil }
        var world = memo.worlds.take(question) ?? WorldClusters(self, question)
        if world.generation > generation {
            memo.worlds.keep(world)
            return nil
        }
        if world.generation < generation {
            if let changes = memo.log.changes.places(
                in: .world, after: world.generation, through: generation)
            {
                world.update(to: self, changes)
            } else {
                world = WorldClusters(self, question)
            }
        }
        let units = world.units
        memo.worlds.keep(world)
        return units
    }
}
