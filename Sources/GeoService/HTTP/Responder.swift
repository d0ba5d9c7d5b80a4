import Synchronization

/// Answers one suspended request, from any thread, once.
///
/// A second answer is dropped. A responder that is freed without an answer gives 500: whatever a
/// job does, its client never waits for ever.
package final class Responder: Sendable {
    private let exchange: Exchange
    private let isUsed = Atomic(false)

    init(_ exchange: Exchange) { self.exchange = exchange }

    deinit {
        if !isUsed.load(ordering: .acquiring) {
            exchange.fulfill(.failure(Problem(.internalServerError, "the request was dropped")))
        }
    }

    /// Sends the answer.
    package func respond(_ response: Response) { settle(.success(response)) }

    /// Sends the answer to an error, as the server maps it.
    package func fail(_ error: any Error) { settle(.failure(error)) }

    /// Sends what the closure makes, or the answer to what it throws.
    package func respond(_ make: () throws -> Response) { settle(Result { try make() }) }

    /// Whether somebody still waits for the answer: false when the client has gone or the server is
    /// stopping. For work that takes long, to be asked now and then.
    package var isAwaited: Bool { exchange.core.gate.isAwaited(exchange) }

    private func settle(_ outcome: Result<Response, any Error>) {
        guard !isUsed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        exchange.fulfill(outcome)
    }
}

/// Wakes a connection whose body sink was busy.
package struct BodyFlow: Sendable {
    let exchange: Exchange

    /// Offers the refused bytes again. Harmless when nothing waits.
    package func resume() { exchange.wake() }
}
