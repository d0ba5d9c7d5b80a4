import Dispatch
import GeoIndex
import GeoStore
import Synchronization

/// One try at answering a question with a `where`: judges objects, and notes which values are not
/// in memory yet. When some are not, the answer is of no use; the values are read, and the next
/// try has them.
final class WhereTrial: Sendable {
    /// Why an answer is not to be had.
    enum Failure: Error, Equatable {
        /// More objects would have to be judged than one request may cost.
        case tooManyCandidates
        /// It takes too long.
        case tooSlow
        /// A pattern goes beyond its limits.
        case pattern(WhereError)
    }

    private struct State {
        var verdicts = VerdictTable()
        var unread: [ObjectKey] = []
        var failure: Failure?
    }

    private let condition: Where
    private let tables: [ColumnTable]
    private let owned: [UInt64: [FieldValue]]
    private let unreadLimit: Int
    private let candidateLimit: Int
    private let deadline: DispatchTime
    private let state = Mutex(State())
    /// Verdicts between two looks at the clock.
    private static let clockInterval = 1_024

    /// - Parameters:
    ///   - tables: The values of the condition's fields, in their order.
    ///   - owned: The values of objects that are another thing to who asks, in the same order.
    ///   - unreadLimit: How many objects without values are noted; further ones pass, so that a
    ///     search for the nearest ends.
    ///   - candidateLimit: How many objects are judged.
    init(
        _ condition: Where, _ tables: [ColumnTable], owned: [UInt64: [FieldValue]] = [:],
        unreadLimit: Int, candidateLimit: Int, deadline: DispatchTime
    ) {
        self.condition = condition
        self.tables = tables
        self.owned = owned
        self.unreadLimit = unreadLimit
        self.candidateLimit = candidateLimit
        self.deadline = deadline
    }

    /// The test for the index.
    var test: ObjectTest { ObjectTest(name: condition.name) { self.passes($0) } }

    /// Objects whose values are not in memory.
    var unread: [ObjectKey] { state.withLock { $0.unread } }

    /// Why the answer is not to be used.
    var failure: Failure? { state.withLock { $0.failure } }

    private func passes(_ key: ObjectKey) -> Bool {
        state.withLock { state in
            if let known = state.verdicts[key.bits] { return known }
            guard state.failure == nil else { return false }
            guard state.verdicts.count < candidateLimit else {
                state.failure = .tooManyCandidates
                return false
            }
            let verdict = judge(key, &state)
            state.verdicts.insert(key.bits, verdict)
            if state.verdicts.count % WhereTrial.clockInterval == 0, DispatchTime.now() > deadline {
                state.failure = .tooSlow
            }
            return verdict
        }
    }

    private struct Unread: Error {}

    private func judge(_ key: ObjectKey, _ state: inout State) -> Bool {
        do {
            let own = owned.isEmpty ? nil : owned[key.bits]
            return try condition.holds { number in
                if let own { return own[number] }
                guard let value = tables[number][key.bits] else { throw Unread() }
                return value
            }
        } catch let error as WhereError {
            state.failure = .pattern(error)
            return false
        } catch {
            guard state.unread.count < unreadLimit else { return true }
            state.unread.append(key)
            return false
        }
    }
}
