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
    }
}
