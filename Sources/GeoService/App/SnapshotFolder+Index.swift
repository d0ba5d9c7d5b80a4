import Dispatch
import GeoIndex
import GeoStore
import Synchronization

/// Why an index does not come out of its file.
enum SnapshotFailure: Error, CustomStringConvertible {
    case file(SnapshotFileError)
    case content(SnapshotDecodingError)

    /// Whether the file is of no use to anybody.
    var isDamage: Bool {
        switch self {
        case .file(.damaged), .file(.foreign), .content: true
        case .file: false
        }
    }

    var description: String {
        switch self {
        case .file(let error): error.description
        case .content(let error): "it is damaged: \(error)"
        }
    }
}

extension SnapshotFolder {
    /// Threads that read a file: more than two would wait for memory and disk.
    private static let readers = 2

    /// Keeps an index in the place of the layer's former one.
    ///
    /// - Throws: ``SnapshotFileError``: `noRoom`, `inputOutput`; the former file is still there
    ///   then.
    /// - Complexity: O(n).
    func save(_ snapshot: IndexSnapshot, _ label: SnapshotLabel) throws(SnapshotFileError) {
        let writer = try create(label, expectedBytes: snapshot.encodedBytes)
        try snapshot.encode { (chunk: Span<UInt8>) throws(SnapshotFileError) in
            try writer.append(chunk)
        }
        try writer.finish()
    }

    /// The layer's index, when its file is whole and has just this label.
    ///
    /// - Throws: ``SnapshotFailure``.
    /// - Complexity: O(n): every byte is proved.
    func load(_ label: SnapshotLabel) throws(SnapshotFailure) -> IndexSnapshot {
        do {
            let file = try open(label)
            guard file.count > 0 else { throw SnapshotFileError.damaged(what: "it is empty") }
            let head = try file.chunk(0)
            let decoder = try SnapshotDecoder(head.span)
            return try decoder.snapshot(of: SnapshotFolder.parts(of: file, decoder))
        } catch let error as SnapshotFileError {
            throw .file(error)
        } catch let error as SnapshotDecodingError {
            throw .content(error)
        } catch {
            throw .content(.parts)  // nothing above throws anything else
        }
    }

    private struct Reading {
        var next = 1
        var parts: [SnapshotPart?]
        var failure: (any Error)?
    }

    /// Reads and decodes all chunks but the first, several at a time.
    private static func parts(
        of file: SnapshotFileReader, _ decoder: SnapshotDecoder
    ) throws -> [SnapshotPart] {
        let state = Mutex(Reading(parts: Array(repeating: nil, count: file.count - 1)))
        DispatchQueue.concurrentPerform(iterations: readers) { _ in
            while true {
                let taken = state.withLock { state -> Int? in
                    guard state.failure == nil, state.next < file.count else { return nil }
                    state.next += 1
                    return state.next - 1
                }
                guard let chunk = taken else { return }
                do {
                    let bytes = try file.chunk(chunk)
                    let part = try decoder.part(bytes.span)
                    state.withLock { $0.parts[chunk - 1] = part }
                } catch {
                    state.withLock { $0.failure = error }
                }
            }
        }
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.parts.compactMap { $0 }
        }
    }
}
