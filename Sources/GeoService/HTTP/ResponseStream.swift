import Synchronization

/// A body that one thread writes while an event thread sends it.
///
/// Holds at most a few chunks: a writer that is faster than the client waits.
package final class ResponseStream: Sendable {
    /// The client has gone, or the server is stopping: there is nobody to write to.
    package struct Abandoned: Error {}

    /// A writer waits while this much is unsent, in bytes.
    static let highWaterBytes = 256 << 10

    private struct State {
        var chunks: [[UInt8]] = []
        /// How much of the first chunk is sent.
        var offset = 0
        var queuedBytes = 0
        var hasEnded = false
        var hasFailed = false
        var isAbandoned = false
        var writerWaits = false
        var reader: Exchange?
    }

    private let state = Mutex(State())
    private let room = Semaphore()

    init() {}

    /// Appends bytes. Blocks while the client is slower.
    ///
    /// - Throws: ``Abandoned`` when nobody reads any more.
    package func write(_ bytes: [UInt8]) throws(Abandoned) {
        guard !bytes.isEmpty else { return }
        while true {
            let step = state.withLock { state -> (isDone: Bool, isGone: Bool, reader: Exchange?) in
                if state.isAbandoned { return (false, true, nil) }
                guard state.queuedBytes == 0 || state.queuedBytes < Self.highWaterBytes else {
                    state.writerWaits = true
                    return (false, false, nil)
                }
                state.chunks.append(bytes)
                state.queuedBytes += bytes.count
                let reader = state.reader
                state.reader = nil
                return (true, false, reader)
            }
            if step.isGone { throw Abandoned() }
            if step.isDone {
                step.reader?.wake()
                return
            }
            room.wait()
        }
    }

    /// The body is complete.
    func finish() { end(failed: false) }

    /// The body cannot be completed: the connection is cut, so that the client sees it.
    func fail() { end(failed: true) }

    private func end(failed: Bool) {
        let reader = state.withLock { state in
            state.hasEnded = true
            state.hasFailed = failed
            let reader = state.reader
            state.reader = nil
            return reader
        }
        reader?.wake()
    }

    /// Nobody reads any more.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            state.chunks = []
            state.queuedBytes = 0
            state.reader = nil
            if state.writerWaits { room.signal() }
            state.writerWaits = false
        }
    }

    enum Reading {
        case bytes(Int)
        /// Nothing yet; the reader that asked is woken when there is.
        case nothing
        case end
        case failure
    }

    /// Takes what is there, as much as fits.
    func read(into room: UnsafeMutableRawBufferPointer, for reader: Exchange) -> Reading {
        // The buffer is used under the lock and by this call only.
        nonisolated(unsafe) let target = unsafe room
        return state.withLock { state in
            guard let chunk = state.chunks.first else {
                if state.hasFailed { return .failure }
                if state.hasEnded { return .end }
                state.reader = reader
                return .nothing
            }
            let count = unsafe min(chunk.count - state.offset, target.count)
            unsafe chunk.withUnsafeBytes { bytes in
                unsafe target.copyMemory(
                    from: UnsafeRawBufferPointer(
                        rebasing: bytes[state.offset..<(state.offset + count)]))
            }
            state.offset += count
            state.queuedBytes -= count
            if state.offset == chunk.count {
                state.chunks.removeFirst()
                state.offset = 0
            }
            if state.writerWaits, state.queuedBytes < Self.highWaterBytes / 2 {
                state.writerWaits = false
                self.room.signal()
            }
            return .bytes(count)
        }
    }
}

/// The reading side of a stream, as the library calls it. Owned by the library's answer; when that
/// is freed, the stream is abandoned.
final class StreamReading {
    private let stream: ResponseStream
    private let exchange: Exchange

    init(_ stream: ResponseStream, _ exchange: Exchange) {
        self.stream = stream
        self.exchange = exchange
    }

    deinit { stream.abandon() }

    /// The number of bytes put into the room, 0 when the connection now waits, -1 at the end, -2
    /// for a failure: the library's own codes.
    func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            switch unsafe stream.read(into: room, for: exchange) {
            case .bytes(let count):
                exchange.noteSending(bytes: count)
                return count
            case .nothing:
                switch exchange.waitForFlow() {
                case .suspended: return 0
                case .woken: continue
                case .closed: return -2
                }
            case .end: return -1
            case .failure: return -2
            }
        }
    }
}
