import Dispatch
import GeoIndex
import JSONText
import Testing

@testable import GeoStore

@Suite("Groups of jobs")
struct GroupCommitTests {
    /// Holds the writer thread inside a job until it is let go, so that a queue builds up.
    private final class Gate: Sendable {
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)

        func close(_ store: SQLiteStore) throws {
            try store.submit(
                { _ in
                    self.entered.signal()
                    self.leave.wait()
                }, then: { _ in })
            entered.wait()
        }
    }

    private struct Refusal: Error, Equatable {}

    @Test("a job that throws undoes itself alone, its new fields included")
    func failingJob() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<[DocumentChange]>()
        store.observeCommits { changes, _ in seen.add(changes) }
        let results = Collector<(Int, Bool)>()
        let gate = Gate()
        try gate.close(store)
        let done = DispatchGroup()
        for number in 0..<9 {
            done.enter()
            try store.submit(
                { transaction in
                    try transaction.insert(
                        try .spot("id\(number)", ["f\(number)": .integer(Int64(number))]))
                    if number % 3 == 1 { throw Refusal() }
                },
                then: { (result: Result<Void, any Error>) in
                    if case .failure(let error) = result {
                        #expect(error is Refusal)
                        results.add((number, false))
                    } else {
                        results.add((number, true))
                    }
                    done.leave()
                })
        }
        gate.leave.signal()
        done.wait()
        #expect(results.all.map(\.0) == Array(0..<9))
        #expect(results.all.map(\.1) == (0..<9).map { $0 % 3 != 1 })
        // One commit for all of them, and the observer saw what was kept, in order.
        #expect(seen.all.count == 1)
        let kept = (0..<9).filter { $0 % 3 != 1 }
        #expect(seen.all.flatMap { $0 }.map(\.objectId) == kept.map { "id\($0)" })
        #expect(
            store.catalog["Spot"]?.fields.keys.sorted() == kept.map { "f\($0)" } + ["place"])
        #expect(try store.read { try $0.classes().first?.fields.count } == kept.count + 1)
        #expect(try store.read { try $0.count(of: "Spot") } == kept.count)
    }

    @Test("when a completion runs, the observer has seen the change and readers see it")
    func orderOfEvents() async throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let seen = Collector<String>()
        store.observeCommits { changes, _ in
            for change in changes { seen.add(change.objectId) }
        }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        let id = "w\(worker)n\(number)"
                        do {
                            try await store.write { try $0.insert(try .spot(id)) }
                            #expect(seen.all.contains(id))
                            #expect(try store.read { try $0.object("Spot", id) } != nil)
                        } catch {
                            Issue.record("\(error)")
                        }
                    }
                }
            }
        }
        #expect(try store.read { try $0.count(of: "Spot") } == 400)
    }

    @Test("many submitters: increments of one object are not lost")
    func counters() async throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try await store.write { try $0.insert(try .spot("a", ["n": 0])) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        do {
                            try await store.write { transaction in
                                var document = try #require(try transaction.object("Spot", "a"))
                                let count = try #require(document.fields["n"]?.integerValue)
                                document.fields["n"] = .integer(count + 1)
                                try transaction.replace(document)
                            }
                        } catch {
                            Issue.record("\(error)")
                        }
                    }
                }
            }
        }
        #expect(try store.read { try $0.object("Spot", "a") }?.fields["n"] == 400)
    }

    @Test("a full queue answers busy at once and works again when drained")
    func queueBound() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumQueuedJobs = 3
        options.maximumQueuedBytes = 100
        let store = try scratch.open(options)
        let gate = Gate()
        try gate.close(store)  // takes one of the three
        try store.submit(bytes: 60, { _ in }, then: { _ in })
        #expect(throws: StoreError.busy) {
            try store.submit(bytes: 41, { _ in }, then: { _ in Issue.record("answered") })
        }
        try store.submit(bytes: 40, { _ in }, then: { _ in })
        #expect(throws: StoreError.busy) {
            try store.submit({ _ in }, then: { _ in Issue.record("answered") })
        }
        gate.leave.signal()
        // Whoever waits for room gets it.
        let isDone = DispatchSemaphore(value: 0)
        try store.submit(bytes: 90, waitsForRoom: true, { _ in }, then: { _ in isDone.signal() })
        isDone.wait()
        store.close()
        // One job of any size is taken by an idle store.
        let idle = try Scratch().open(options)
        try idle.write(bytes: 1000) { try $0.insert(try .spot("a")) }
    }

    @Test("who waits for room gets it in a full queue, or hears that the store is closed")
    func waitingForRoom() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumQueuedJobs = 1
        let store = try scratch.open(options)
        let gate = Gate()
        try gate.close(store)
        let outcomes = Collector<String>()
        let asked = DispatchSemaphore(value: 0)
        var threads: [WorkerThread] = []
        for number in 0..<20 {
            threads.append(
                try WorkerThread {
                    asked.signal()
                    do {
                        try store.write(waitsForRoom: true) { try $0.insert(.spot("id\(number)")) }
                        outcomes.add("written")
                    } catch {
                        outcomes.add("\(error)")
                    }
                })
        }
        for _ in 0..<20 { asked.wait() }
        #expect(throws: StoreError.busy) { try store.write { _ in } }
        gate.leave.signal()
        threads = []  // freeing a thread waits for its end
        #expect(outcomes.all == Array(repeating: "written", count: 20))
        #expect(try store.read { try $0.count(of: "Spot") } == 20)
        // Closing wakes who waits.
        let last = Gate()
        try last.close(store)
        let refused = Collector<StoreError>()
        threads.append(
            try WorkerThread {
                asked.signal()
                do throws(StoreError) {
                    try store.submit(waitsForRoom: true, { _ in }, then: { _ in })
                } catch {
                    refused.add(error)
                }
                last.leave.signal()
            })
        asked.wait()
        store.close()
        threads = []
        #expect(refused.all == [.closed])
    }

    @Test("groups end at their limits", arguments: [1, 2, 5])
    func groupLimits(jobs: Int) throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumGroupJobs = jobs
        let store = try scratch.open(options)
        let seen = Collector<Int>()
        store.observeCommits { changes, _ in seen.add(changes.count) }
        let gate = Gate()
        try gate.close(store)
        for number in 0..<20 {
            try store.submit({ try $0.insert(try .spot("id\(number)")) }, then: { _ in })
        }
        gate.leave.signal()
        store.close()
        #expect(seen.all.reduce(0, +) == 20)
        #expect(seen.all.allSatisfy { $0 <= jobs })
    }

    @Test("a group ends after the job that reached its bytes")
    func groupBytes() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumGroupBytes = 1
        let store = try scratch.open(options)
        let seen = Collector<Int>()
        store.observeCommits { changes, _ in seen.add(changes.count) }
        let gate = Gate()
        try gate.close(store)
        for number in 0..<5 {
            try store.submit(
                { transaction in
                    try transaction.insert(try .spot("a\(number)"))
                    try transaction.insert(try .spot("b\(number)"))
                }, then: { _ in })
        }
        gate.leave.signal()
        store.close()
        #expect(seen.all == [2, 2, 2, 2, 2])
    }

    @Test("a full disk fails what does not fit and leaves the store usable")
    func fullDisk() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.maximumDatabaseBytes = 400_000
        let store = try scratch.open(options)
        let seen = Collector<[DocumentChange]>()
        store.observeCommits { changes, _ in seen.add(changes) }
        let filler = JSONValue.string(String(repeating: "x", count: 10_000))
        var kept: [String] = []
        var failures = 0
        for number in 0..<100 {
            do {
                try store.write { try $0.insert(try .spot("id\(number)", ["t": filler])) }
                kept.append("id\(number)")
            } catch StoreError.diskFull {
                failures += 1
            }
        }
        #expect(failures > 0 && kept.count > 10)
        #expect(seen.all.flatMap { $0 }.map(\.objectId) == kept)
        #expect(try store.read { try $0.count(of: "Spot") } == kept.count)
        // Making room works, and what is freed is used again.
        let gone = Array(kept.prefix(5))
        try store.write { transaction in
            for id in gone {
                let deleted = try transaction.delete("Spot", id)
                #expect(deleted != nil)
            }
        }
        try store.write { try $0.insert(try .spot("again", ["t": filler])) }
        #expect(try store.read { try $0.count(of: "Spot") } == kept.count - 4)
        // A class that did not fit is not in the catalog.
        #expect(throws: StoreError.diskFull) {
            try store.write { transaction in
                for number in 0..<100 {
                    try transaction.insert(
                        Document(
                            className: "New", objectId: "n\(number)",
                            createdAt: Timestamp(milliseconds: 1), fields: ["t": filler]))
                }
            }
        }
        #expect(store.catalog["New"] == nil)
    }

    @Test("closing does what is queued and refuses the rest")
    func close() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let answers = Collector<Bool>()
        for number in 0..<100 {
            try store.submit(
                { try $0.insert(try .spot("id\(number)")) },
                then: { result in
                    if case .success = result { answers.add(true) } else { answers.add(false) }
                })
        }
        store.close()
        store.close()
        #expect(answers.all == Array(repeating: true, count: 100))
        #expect(throws: StoreError.closed) { try store.write { _ in } }
        #expect(throws: StoreError.closed) { try store.read { try $0.count(of: "Spot") } }
    }

    @Test("the last reference may go away inside a completion")
    func releaseOnWriterThread() throws {
        let scratch = try Scratch()
        for number in 0..<20 {
            let done = DispatchSemaphore(value: 0)
            do {
                let store = try scratch.open()
                try store.submit({ try $0.insert(try .spot("id\(number)")) }) { _ in
                    withExtendedLifetime(store) {}
                    done.signal()
                }
            }
            done.wait()
            // The lock goes with the last reference, a moment later.
            var reopened = false
            while !reopened {
                do throws(StoreError) {
                    _ = try StoreDirectory(path: scratch.path)
                    reopened = true
                } catch {
                    guard case .locked = error else { throw error }
                }
            }
        }
        #expect(try scratch.open().read { try $0.count(of: "Spot") } == 20)
    }

    @Test("too many readers at a time are told busy")
    func readerBound() throws {
        let scratch = try Scratch()
        var options = StoreOptions()
        options.readers = 1
        options.readerWaitMilliseconds = 1
        let store = try scratch.open(options)
        try store.read { _ -> Void in
            #expect(throws: StoreError.busy) { try store.read { try $0.count(of: "Spot") } }
        }
        try store.read { _ = try $0.count(of: "Spot") }
        #expect(throws: Refusal()) { try store.read { _ in throw Refusal() } as Void }
        #expect(try store.read { try $0.count(of: "Spot") } == 0)
    }
}
