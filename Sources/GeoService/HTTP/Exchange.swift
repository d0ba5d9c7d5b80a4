import CMicroHTTPD
import Glibc

/// One request and its answer, as the library's callbacks see them.
///
/// The library calls several times for each request: once when the head is there, once for each
/// piece of the body, once at the end, and again after each suspension. An answer that is given in
/// the first call ends the connection, so a request without a body is answered in the second.
///
/// Used by the connection's event thread; while the connection is suspended, under the gate's
/// lock. That, and nothing else, makes it `Sendable`.
@safe final class Exchange: @unchecked Sendable {
    private enum Step {
        case head
        case body(any BodySink)
        case ready(Action)
        case waiting
        case over
    }

    let core: ServerCore
    let link: Connection
    private let handle: OpaquePointer
    private let target: [UInt8]
    private var step = Step.head
    private var request: Request?
    private var answer: Result<Response, any Error>?
    private var status: HTTPStatus?
    private var began: UInt64 = 0
    private var usesFlow = false
    private var isBodyPaused = false
    private var charge: BodyCharge?
    /// The sink whose end gave the action that is being carried out.
    private var finished: (any BodySink)?
    /// Guarded by the gate's lock.
    var isLive = true

    init(core: ServerCore, link: Connection, handle: OpaquePointer, target: [UInt8]) {
        self.core = core
        self.link = link
        unsafe self.handle = handle
        self.target = target
        link.beginHead()
    }

    // MARK: - The library's calls

    /// Goes on with the request. The result `.NO` ends the connection.
    func proceed(
        method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        data: UnsafePointer<CChar>?, size: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        switch step {
        case .head:
            do throws(Problem) {
                let head = try unsafe RequestHead(
                    handle, method: method, version: version, target: target, core.facts)
                return begin(head)
            } catch {
                return refuse(error)
            }
        case .body(let sink):
            guard let data = unsafe data, unsafe size.pointee > 0 else { return end(of: sink) }
            let count = unsafe size.pointee
            guard unsafe feed(sink, UnsafeRawPointer(data), count) else { return .NO }
            if !isBodyPaused { unsafe size.pointee = 0 }
            return .YES
        case .ready(let action): return perform(action)
        case .waiting:
            let answer = answer ?? .failure(Problem.stopping)
            self.answer = nil
            return deliver(answer)
        case .over: return .YES
        }
    }

    /// The library has ended the request, in one way or another.
    func completed(isComplete: Bool) {
        switch step {
        case .body(let sink), .ready(.consume(let sink)): sink.abandon()
        case .head, .ready, .waiting, .over: break
        }
        step = .over
        charge?.giveBack()
        if usesFlow { core.gate.forget(self) }
        link.becomeIdle()
        guard let status, let onCompletion = core.facts.configuration.onCompletion,
            let request
        else { return }
        onCompletion(
            Completion(
                method: request.method, template: request.routeTemplate, status: status,
                milliseconds: MonotonicClock.milliseconds &- began, isComplete: isComplete))
    }

    // MARK: - Head

    private func begin(_ head: RequestHead) -> MHD_Result {
        began = MonotonicClock.milliseconds
        link.beginWork()
        guard !link.isTurnedAway else { return refuse(.tooManyConnections) }
        let request: Request
        let action: Action
        do throws(Problem) {
            (request, action) = try core.route(head, peer: link.peer)
        } catch {
            return refuse(error)
        }
        self.request = request
        guard head.hasBody else {
            step = .ready(action)
            return .YES
        }
        return prepareBody(head, request, action)
    }

    private func prepareBody(
        _ head: RequestHead, _ request: Request, _ action: Action
    ) -> MHD_Result {
        let limits = core.facts.configuration.limits
        switch action {
        case .collect(let limitBytes, let then):
            let limit = limitBytes ?? limits.bodyBytes
            if let announced = head.announcedBytes, announced > limit {
                return refuse(.tooLarge(limit))
            }
            let charge = BodyCharge(core.bodies)
            self.charge = charge
            step = .body(
                BodyCollector(
                    limitBytes: limit, expectedBytes: head.announcedBytes, charge: charge,
                    then: then))
        case .consume(let sink):
            step = .body(sink)
            usesFlow = true
        case .reply, .later:
            // A small body is read and dropped, so that the connection can be used again.
            let limit = limits.unwantedBodyBytes
            guard let announced = head.announcedBytes, announced <= limit,
                !head.expectsContinue
            else {
                guard case .reply(let response) = action else { return refuse(.tooLarge(limit)) }
                link.isRefused = true
                return deliver(.success(response))
            }
            step = .body(BodyDiscarder(limitBytes: limit, then: action))
        }
        link.beginBody()
        return .YES
    }

    /// Answers in the first call: the library then reads no more, and closes.
    private func refuse(_ problem: Problem) -> MHD_Result {
        link.isRefused = true
        return deliver(.failure(problem))
    }

    // MARK: - Body

    /// Offers bytes to the sink until it takes them or the connection waits. False ends the
    /// connection.
    private func feed(_ sink: any BodySink, _ data: UnsafeRawPointer, _ count: Int) -> Bool {
        isBodyPaused = false
        while true {
            do {
                let bytes = unsafe Span<UInt8>(
                    _unsafeStart: data.assumingMemoryBound(to: UInt8.self), count: count)
                switch try sink.receive(bytes, flow: BodyFlow(exchange: self)) {
                case .taken:
                    link.noteBody(bytes: count)
                    return true
                case .busy:
                    link.pauseBody()
                    isBodyPaused = true
                    switch core.gate.suspend(self, for: .flow) {
                    case .suspended: return true
                    case .woken:
                        isBodyPaused = false
                        link.continueBody()
                    case .closed: return false
                    }
                }
            } catch {
                cutOff(sink, error)
                return false
            }
        }
    }

    /// Answers an error while a body is coming in. The library has no call for that: the answer
    /// goes straight to the socket, and the connection is closed behind it.
    private func cutOff(_ sink: any BodySink, _ error: any Error) {
        sink.abandon()
        charge?.giveBack()
        step = .over
        link.isRefused = true
        let response = core.response(to: error, request)
        status = response.status
        link.sendLast(core.fields(of: response, .identity, for: request).serialized())
    }

    private func end(of sink: any BodySink) -> MHD_Result {
        step = .over
        link.beginWork()
        guard let request else { return .NO }
        do {
            let action = try sink.finish(request)
            finished = sink
            return perform(action)
        } catch {
            return deliver(.failure(error))
        }
    }

    // MARK: - Answer

    /// Carries out an action when the request is there in full.
    private func perform(_ first: Action) -> MHD_Result {
        guard let request else { return .NO }
        var action = first
        // A handler may go on from one action to the next; one that never ends is a bug.
        for _ in 0..<8 {
            switch action {
            case .reply(let response): return deliver(.success(response))
            case .later(let start):
                guard case .suspended = core.gate.suspend(self, for: .answer) else {
                    // Nobody else would tell it that its answer is not awaited.
                    finished?.abandon()
                    return deliver(.failure(Problem.stopping))
                }
                step = .waiting
                start(Responder(self))
                return .YES
            case .collect(_, let then):
                do {
                    action = try then(request, [])
                } catch {
                    return deliver(.failure(error))
                }
            case .consume(let sink):
                do {
                    action = try sink.finish(request)
                    finished = sink
                } catch {
                    return deliver(.failure(error))
                }
            }
        }
        return deliver(.failure(Problem(.internalServerError, "the handler does not end")))
    }

    private func deliver(_ outcome: Result<Response, any Error>) -> MHD_Result {
        step = .over
        finished = nil
        charge?.giveBack()
        var response: Response
        switch outcome {
        case .success(let given): response = given
        case .failure(let error): response = core.response(to: error, request)
        }
        if case .stream = response.body { usesFlow = true }
        let sent = core.wrap(&response, for: self, request)
        guard let native = sent else { return .NO }
        status = response.status
        link.beginReply(bytes: response.knownByteCount)
        return unsafe native.queue(response.status, on: handle)
    }

    // MARK: - Waiting, under the gate's lock

    func suspendConnection() {
        unsafe MHD_suspend_connection(handle)
    }

    func resumeConnection(with answer: Result<Response, any Error>?) {
        self.answer = answer
        if isBodyPaused { link.continueBody() }
        unsafe MHD_resume_connection(handle)
    }

    // MARK: - For responders, sinks and streams

    func fulfill(_ answer: Result<Response, any Error>) { core.gate.fulfill(self, answer) }

    func wake() { core.gate.wake(self) }

    func waitForFlow() -> SuspensionGate.Outcome {
        link.beginWork()
        return core.gate.suspend(self, for: .flow)
    }

    func noteSending(bytes: Int) { link.beginReply(bytes: bytes) }
}

extension Problem {
    static var stopping: Problem { Problem(.serviceUnavailable, "the service is stopping") }

    static var tooManyConnections: Problem {
        Problem(
            .serviceUnavailable, "too many connections from this address",
            headers: [HeaderField("Retry-After", "5")])
    }
}
