import GeoStore
import JSONText

/// What must be done before a call can read or write: passwords are hashed and providers asked on
/// threads of their own, never on those of the server or of the store.
protocol PreparedOperation: Sendable {
    /// Which threads ``prepare(_:)`` needs.
    var work: PreparationWork { get }

    /// Counts the call against limits, before it waits for a thread.
    ///
    /// - Throws: ``RateLimitError``.
    func admit(_ accounts: Accounts) throws

    /// Does the work. It may block, and read the store.
    ///
    /// - Throws: ``ParseError``, ``RateLimitError``, ``StoreError``.
    func prepare(_ accounts: Accounts) throws -> ParseOperation
}

/// Kinds of work before an operation.
enum PreparationWork: Sendable {
    /// A password is hashed.
    case hashing
    /// A login provider is asked.
    case asking
}

extension Accounts {
    /// Does the work of an operation on its threads and passes on what comes of it, until nothing
    /// is to be prepared any more.
    ///
    /// - Parameter finish: Called once, on any thread.
    func prepare(
        _ operation: any PreparedOperation, isAdmitted: Bool = false,
        then finish: @escaping @Sendable (Result<ParseOperation, any Error>) -> Void
    ) {
        if !isAdmitted {
            do {
                try operation.admit(self)
            } catch {
                return finish(.failure(error))
            }
        }
        let pool = operation.work == .hashing ? passwords.pool : askingPool
        let isTaken = pool.submit { [self] in
            let result = Result { try operation.prepare(self) }
            if case .success(.prepared(let next)) = result {
                prepare(next, isAdmitted: true, then: finish)
            } else {
                finish(result)
            }
        }
        if !isTaken { finish(.failure(ParseError.tooManyLogins)) }
    }
}

extension ParseError {
    /// Too many passwords or providers' answers are waited for.
    static let tooManyLogins = ParseError(
        .requestLimitExceeded, "too many logins are waiting; try again later")
}

/// An answer that is known.
struct KnownAnswer: ReadOperation {
    let answer: ParseAnswer

    let isQuick = true

    func isQuick(in reader: borrowing Reader) -> Bool { true }

    func run(in reader: borrowing Reader, _ budget: inout AnswerBudget) throws -> ParseAnswer {
        try budget.take(answer.json.count)
        return answer
    }
}
