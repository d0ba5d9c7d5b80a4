import Synchronization

/// Is told of every group of changes once they are durable, before their writers are answered.
///
/// The position is the one that classes have now of which located objects were changed.
package typealias CommitObserver = @Sendable ([DocumentChange], CommitPosition) -> Void

/// The writer thread's work: groups of jobs, one commit for each.
final class CommitLoop: Sendable {
    let queue: WriteQueue
    let progress = CommitProgress()
    private let observer = Mutex(Observer(call: nil))
    let catalog: Mutex<SchemaCatalog>
    /// The writer, until the thread takes it.
    private let slot: Mutex<SQLiteWriter?>
    private let directory: StoreDirectory
    private let options: StoreOptions

    init(_ writer: SQLiteWriter, _ directory: StoreDirectory, _ options: StoreOptions) {
        slot = Mutex(writer)
        self.directory = directory
        self.options = options
        catalog = Mutex(writer.catalog)
        queue = WriteQueue(
            maximumJobs: options.maximumQueuedJobs, maximumBytes: options.maximumQueuedBytes)
    }

    /// A function held directly by a generic type is wrapped once more each time it is taken out.
    private struct Observer: Sendable {
        var call: CommitObserver?
    }

    /// Sets who is told of changes.
    func observe(_ call: @escaping CommitObserver) {
        observer.withLock { $0.call = call }
    }

    /// Works until the queue is closed and drained, then empties the log into the database.
    /// The connection is closed when this returns.
    func run() {
        guard let writer = slot.withLock({ $0.take() }) else { return }
        while true {
            let jobs = queue.take()
            guard !jobs.isEmpty else { break }
            var rest = jobs[...]
            while !rest.isEmpty { rest = runGroup(rest, writer) }
        }
        // When a reader prevents it, the log is read on the next start instead.
        _ = writer.connection.checkpointAndTruncate()
    }

    /// Runs a group from the front of `jobs` and gives the jobs that are left.
    private func runGroup(
        _ jobs: ArraySlice<WriteQueue.Job>, _ writer: SQLiteWriter
    ) -> ArraySlice<WriteQueue.Job> {
        do throws(StoreError) {
            try writer.beginGroup()
        } catch {
            queue.release(jobs)
            for job in jobs { job.fail(error) }
            return []
        }
        var completions: [WriteQueue.Completion] = []
        for job in jobs.prefix(options.maximumGroupJobs) {
            completions.append(job.run(writer))
            if writer.groupFailure != nil || writer.writtenBytes >= options.maximumGroupBytes {
                break
            }
        }
        let failure = finishGroup(writer)
        queue.release(jobs.prefix(completions.count))
        for completion in completions { completion(failure) }
        boundLog(writer)
        return jobs.dropFirst(completions.count)
    }

    /// Commits, then publishes; gives the failure of the whole group.
    private func finishGroup(_ writer: SQLiteWriter) -> StoreError? {
        progress.begin()
        defer { progress.end() }
        do throws(StoreError) {
            let (changes, position) = try writer.commitGroup()
            let committed = writer.catalog
            catalog.withLock { $0 = committed }
            let observer = observer.withLock { $0 }
            if !changes.isEmpty { observer.call?(changes, position) }
            return nil
        } catch {
            writer.abandonGroup()
            return error
        }
    }

    /// SQLite moves the log into the database as it goes, but begins it anew only while no reader
    /// uses it; under constant reading it would grow without end. After a reader has prevented
    /// the cut, the next attempt waits until the log has grown by a quarter, so that one long
    /// reader does not hold up every commit.
    ///
    /// The log is also cut after a secret was removed or replaced, whose former value else stays
    /// in the log and in pages of the database that only the log replaces; at most once in
    /// ``SQLiteWriter/secretCutInterval``, and at the end.
    private func boundLog(_ writer: SQLiteWriter) {
        let bytes = directory.logBytes()
        let isForSecrets = writer.isSecretCutDue
        guard bytes > writer.checkpointAtBytes || isForSecrets else { return }
        let isCut = writer.connection.checkpointAndTruncate()
        writer.noteCut(succeeded: isCut)
        if isCut {
            writer.checkpointAtBytes = options.maximumLogBytes
        } else if bytes > writer.checkpointAtBytes {
            writer.checkpointAtBytes = bytes + options.maximumLogBytes / 4
        }
    }
}
