import Synchronization

/// Which units were asked for while they were not remembered, and in which generation.
///
/// A unit is worth its memory, and the work beyond the edges of a view, only when it is asked for
/// again before it changes (the "doorkeeper" of G. Einziger, R. Friedman and B. Manes, "TinyLFU",
/// 2017). A mark may be lost to that of another unit: then the next look counts as the first one.
/// No answer depends on marks.
final class UnitDoor: Sendable {
    private struct Mark {
        var hash: UInt64 = 0
        /// One more than the generation; 0 where there is no mark.
        var next: UInt64 = 0
    }

    /// Marks of a table that has room for all it may have: those of some thousand views.
    private static let mostMarks = 1 << 14
    private let count: Int
    private let marks = Mutex<[Mark]>([])

    /// - Parameter mostBytes: The most memory that the marks may take.
    init(mostBytes: Int) {
        let fitting = mostBytes / MemoryLayout<Mark>.stride
        var count = UnitDoor.mostMarks
        while count > fitting { count /= 2 }
        self.count = count
    }

    /// The memory of all marks, which is taken when the first one is set.
    var bytes: Int { count * MemoryLayout<Mark>.stride }

    /// The generations in which units were last marked; nil for those that are not.
    func generations(of hashes: [UInt64]) -> [UInt64?] {
        marks.withLock { marks in
            hashes.map { hash in
                guard !marks.isEmpty else { return nil }
                let mark = marks[Int(truncatingIfNeeded: hash) & (count - 1)]
                return mark.next > 0 && mark.hash == hash ? mark.next - 1 : nil
            }
        }
    }

    /// Marks units; a mark of a younger generation stays.
    func mark(_ hashes: [UInt64], generation: UInt64) {
        guard count > 0 else { return }
        marks.withLock { marks in
            if marks.isEmpty { marks = Array(repeating: Mark(), count: count) }
            for hash in hashes {
                let place = Int(truncatingIfNeeded: hash) & (count - 1)
                if marks[place].hash == hash && marks[place].next > generation { continue }
                marks[place] = Mark(hash: hash, next: generation + 1)
            }
        }
    }

    /// Forgets all marks.
    func removeAll() { marks.withLock { $0 = [] } }
}
