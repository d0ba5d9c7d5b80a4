import GeoIndex
import TestSupport

/// Makes random changes of an input, and keeps the books: what must be left after them.
struct EditBook {
    /// Where objects move to.
    enum Targets {
        /// To where others were at the start.
        case places
        /// To anywhere in the box of all.
        case anywhere
    }

    private let targets: Targets
    private var input: BenchInput
    private var random = SeededGenerator(seed: 11)
    private let lonE7: ClosedRange<Int32>
    private let latE7: ClosedRange<Int32>
    private var isGone: [Bool]
    private var gone: [Int] = []

    init(input: BenchInput, targets: Targets = .places) {
        self.input = input
        self.targets = targets
        let lons = input.placements.lazy.map(\.position.lonE7)
        let lats = input.placements.lazy.map(\.position.latE7)
        lonE7 = (lons.min() ?? 0)...(lons.max() ?? 0)
        latE7 = (lats.min() ?? 0)...(lats.max() ?? 0)
        isGone = Array(repeating: false, count: input.count)
        // The books must not grow while memory is measured.
        gone.reserveCapacity(input.count)
    }

    /// The number of objects that are left.
    var count: Int { input.count - gone.count }

    /// Random objects, moved; for books in which none is gone.
    mutating func moves(_ count: Int) -> [ObjectEdit] {
        (0..<count).map { _ in move(Int.random(in: 0..<input.count, using: &random)) }
    }

    /// Moves, removals and insertions: of three one each, while there is something to insert.
    mutating func edits(_ count: Int) -> [ObjectEdit] {
        (0..<count).map { _ in
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where !gone.isEmpty: return insertion()
            case 1: return removal(of: someObject())
            default: return move(someObject())
            }
        }
    }

    /// An index built from what is left.
    func index() throws -> IndexSnapshot {
        var builder = BulkBuilder(expected: count)
        for index in input.placements.indices where !isGone[index] {
            try builder.add(id: input.ids[index], input.placements[index])
        }
        return builder.build()
    }

    private mutating func someObject() -> Int {
        var object = Int.random(in: 0..<input.count, using: &random)
        while isGone[object] { object = Int.random(in: 0..<input.count, using: &random) }
        return object
    }

    private mutating func move(_ object: Int) -> ObjectEdit {
        input.placements[object].position = target()
        return ObjectEdit(id: input.ids[object], placement: input.placements[object])
    }

    private mutating func target() -> RoundedPosition {
        switch targets {
        case .places:
            return input.placements[Int.random(in: 0..<input.count, using: &random)].position
        case .anywhere:
            return RoundedPosition(
                lonE7: .random(in: lonE7, using: &random),
                latE7: .random(in: latE7, using: &random))
        }
    }

    private mutating func removal(of object: Int) -> ObjectEdit {
        isGone[object] = true
        gone.append(object)
        return ObjectEdit(id: input.ids[object], placement: nil)
    }

    private mutating func insertion() -> ObjectEdit {
        gone.swapAt(Int.random(in: gone.indices, using: &random), gone.count - 1)
        let object = gone.removeLast()
        isGone[object] = false
        return move(object)
    }
}
