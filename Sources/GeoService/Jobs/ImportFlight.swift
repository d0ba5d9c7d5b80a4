import Dispatch
import GeoStore
import Synchronization

/// The batches of one import that the store has been given and has not answered, a few at most.
///
/// The import's thread waits here while the store is behind: that is the back-pressure which
/// keeps memory bounded, whatever the file.
final class ImportFlight: Sendable {
    /// An answered batch: what was known before it, and what became of it.
    struct Landing: Sendable {
        let batch: Int
        let result: Result<ImportOutcome, any Error>
    }

    /// While one is written the next waits and a third is made.
    private static let width = 3

    private let room = DispatchSemaphore(value: ImportFlight.width)
    private let landings = Mutex<[Landing]>([])

    /// Gives a batch to the store, waiting for room first.
    ///
    /// - Throws: ``StoreError``, when the store does not take it.
    func launch(_ batch: ImportBatch, number: Int, into store: SQLiteStore, dryRun: Bool) throws {
        room.wait()
        do throws(StoreError) {
            // Other writers may have filled the store's queue; it is emptied within milliseconds.
            try store.submit(bytes: batch.bytes, waitsForRoom: true) { transaction in
                try batch.write(in: &transaction, dryRun: dryRun)
            } then: { [self] result in
                land(Landing(batch: number, result: result))
            }
        } catch {
            room.signal()
            throw error
        }
    }

    /// What has landed since the last call, in the order of launching.
    func landed() -> [Landing] {
        landings.withLock { landings in
            let landed = landings
            landings = []
            return landed
        }
    }

    /// Waits until nothing is in flight.
    func settle() {
        for _ in 0..<ImportFlight.width { room.wait() }
        for _ in 0..<ImportFlight.width { room.signal() }
    }

    private func land(_ landing: Landing) {
        var landing = landing
        if case .failure(let error) = landing.result, let end = error as? DryRunEnd {
            landing = Landing(batch: landing.batch, result: .success(end.outcome))
        }
        landings.withLock { $0.append(landing) }
        room.signal()
    }
}
