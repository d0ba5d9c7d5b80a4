/// Collects a whole body in memory, up to a limit.
///
/// Used by the connection's event thread only, one call at a time.
final class BodyCollector: BodySink, @unchecked Sendable {
    private let limitBytes: Int
    private let charge: BodyCharge
    private let then: @Sendable (Request, [UInt8]) throws -> Action
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - expectedBytes: the announced length, so that a small array grows only once.
    ///   - charge: what the body holds of the memory for all bodies.
    init(
        limitBytes: Int, expectedBytes: Int?, charge: BodyCharge,
        then: @escaping @Sendable (Request, [UInt8]) throws -> Action
    ) {
        self.limitBytes = limitBytes
        self.charge = charge
        self.then = then
        // A client that announces much and sends little gets little memory.
        bytes.reserveCapacity(min(expectedBytes ?? 0, limitBytes, 64 << 10))
    }

    func receive(_ more: Span<UInt8>, flow: BodyFlow) throws -> BodyVerdict {
        guard more.count <= limitBytes - bytes.count else { throw Problem.tooLarge(limitBytes) }
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        // What the array holds, used or not. It may pass the budget by this one step.
        try charge.raise(to: bytes.capacity)
        return .taken
    }

    func finish(_ request: Request) throws -> Action {
        let whole = bytes
        bytes = []
        return try then(request, whole)
    }

    func abandon() { bytes = [] }
}

/// Reads a body that nobody asked for, so that the connection can be used again.
final class BodyDiscarder: BodySink, @unchecked Sendable {
    private let limitBytes: Int
    private let action: Action
    private var count = 0

    init(limitBytes: Int, then action: Action) {
        self.limitBytes = limitBytes
        self.action = action
    }

    func receive(_ bytes: Span<UInt8>, flow: BodyFlow) throws -> BodyVerdict {
        guard bytes.count <= limitBytes - count else { throw Problem.tooLarge(limitBytes) }
        count += bytes.count
        return .taken
    }

    func finish(_ request: Request) -> Action { action }

    func abandon() {}
}

extension Problem {
    /// The refusal of a body past its limit.
    static func tooLarge(_ limitBytes: Int) -> Problem {
        Problem(.contentTooLarge, "the body is larger than the \(limitBytes) bytes allowed here")
    }
}
