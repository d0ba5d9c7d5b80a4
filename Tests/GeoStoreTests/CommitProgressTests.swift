import Dispatch
import Synchronization
import Testing

@testable import GeoStore

@Suite struct CommitProgressTests {
    @Test("within the observer a commit is begun and not done, after the write it is both")
    func order() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        let seen = Collector<Bool>()
        let progress = store.progress
        store.observeCommits { _, _ in
            seen.add(progress.begunCount == progress.observedCount + 1)
        }
        for number in 0..<3 {
            try store.write { try $0.insert(.spot("a\(number)")) }
            // The writer is answered last, so that what it was answered for is done.
            #expect(progress.begunCount == progress.observedCount)
        }
        #expect(seen.all == [true, true, true])
        #expect(throws: (any Error).self) { try store.write { try $0.insert(.spot("a0")) } }
        #expect(progress.begunCount == progress.observedCount)
        // Nothing is under way.
        progress.waitForObserver()
    }

    @Test("who waits goes on when the observer is done, and not before", arguments: [1, 5])
    func waiting(count: Int) throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        defer { store.close() }
        let progress = store.progress
        let observing = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        let isObserved = Atomic(false)
        store.observeCommits { _, _ in
            observing.signal()
            release.wait()
            isObserved.store(true, ordering: .releasing)
        }
        try store.submit {
            try $0.insert(.spot("a"))
        } then: { _ in
        }
        observing.wait()
        let seen = Collector<Bool>()
        let begun = DispatchSemaphore(value: 0)
        var threads: [WorkerThread] = []
        for _ in 0..<count {
            threads.append(
                try WorkerThread {
                    begun.signal()
                    progress.waitForObserver()
                    seen.add(isObserved.load(ordering: .acquiring))
                })
        }
        for _ in 0..<count { begun.wait() }
        release.signal()
        // Freeing a thread waits for its end.
        threads = []
        #expect(seen.all == Array(repeating: true, count: count))
        #expect(progress.begunCount == progress.observedCount)
    }
}
