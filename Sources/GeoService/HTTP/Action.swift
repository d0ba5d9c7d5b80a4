/// What a handler decides to do with a request.
package enum Action: Sendable {
    /// Answer now. Handlers that need more than about a millisecond take ``later(_:)`` instead:
    /// they run on the event threads.
    case reply(Response)
    /// Answer later, from any thread: the connection waits, the event thread goes on. The closure
    /// is called at once and must not block.
    case later(@Sendable (Responder) -> Void)
    /// Read the whole body, up to `limitBytes` (413 beyond it; `nil` takes the server's default),
    /// then go on.
    case collect(limitBytes: Int?, then: @Sendable (Request, [UInt8]) throws -> Action)
    /// Pass the body on as it comes.
    case consume(any BodySink)

    /// Read the whole body, up to the server's default limit, then go on.
    package static func collect(
        then: @escaping @Sendable (Request, [UInt8]) throws -> Action
    ) -> Action {
        .collect(limitBytes: nil, then: then)
    }
}

/// What a sink did with the bytes it was offered.
package enum BodyVerdict: Sendable {
    /// It took them all.
    case taken
    /// It took none. The connection waits until ``BodyFlow/resume()``, then the bytes are offered
    /// again: this is how a slow consumer slows its client down.
    case busy
}

/// Takes a request's body as it comes, on an event thread: no method may block.
package protocol BodySink: AnyObject, Sendable {
    /// Takes the next bytes, or none of them.
    ///
    /// - Parameter flow: wakes the connection after ``BodyVerdict/busy``, from any thread.
    /// - Throws: an error that refuses the rest; it is answered at once, and the connection ends.
    func receive(_ bytes: Span<UInt8>, flow: BodyFlow) throws -> BodyVerdict

    /// The body has ended; the next action may be ``Action/reply(_:)`` or ``Action/later(_:)``.
    func finish(_ request: Request) throws -> Action

    /// The body will not end: the client went, was too slow, or was refused. Called at most once.
    ///
    /// After ``finish(_:)`` it is called only when the server stops before the ``Action/later(_:)``
    /// that it gave is carried out: the closure is never called then.
    func abandon()
}
