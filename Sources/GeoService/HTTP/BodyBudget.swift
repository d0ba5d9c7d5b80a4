import Synchronization

/// How much memory all bodies that are being collected may hold together.
final class BodyBudget: Sendable {
    private let limitBytes: Int
    private let held = Atomic(0)

    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// What is held now.
    var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Takes as much, or nothing when it is more than what is left.
    fileprivate func take(_ bytes: Int) -> Bool {
        // Sizes of memory: their sum cannot overflow.
        let sum = held.add(bytes, ordering: .relaxed).newValue
        guard sum <= limitBytes else {
            held.subtract(bytes, ordering: .relaxed)
            return false
        }
        return true
    }

    fileprivate func giveBack(_ bytes: Int) {
        held.subtract(bytes, ordering: .relaxed)
    }
}

/// What one exchange's body holds of the budget: given back when the exchange is answered, since
/// handlers keep the body until then.
///
/// Used by the connection's event thread only, one call at a time.
final class BodyCharge: @unchecked Sendable {
    /// So much is free for each body: whoever fills the budget stops large bodies only.
    static let freeBytes = 128 << 10

    private let budget: BodyBudget
    private var held = 0

    init(_ budget: BodyBudget) {
        self.budget = budget
    }

    deinit { giveBack() }

    /// Raises the charge to what the body takes now.
    ///
    /// - Throws: ``Problem`` 503 when all bodies together would take too much.
    func raise(to bytes: Int) throws(Problem) {
        let wanted = bytes - Self.freeBytes
        guard wanted > held else { return }
        guard budget.take(wanted - held) else { throw .tooManyBodies }
        held = wanted
    }

    func giveBack() {
        budget.giveBack(held)
        held = 0
    }
}

extension Problem {
    fileprivate static var tooManyBodies: Problem {
        Problem(
            .serviceUnavailable, "too much is being sent to this service at once; try again later",
            headers: [HeaderField("Retry-After", "2")])
    }
}
