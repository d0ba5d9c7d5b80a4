import GeoImport
import GeoStore
import JSONText

/// Rows that go into the store together, and the rows between them that do not.
struct ImportBatch: Sendable {
    /// An object to write, and where it came from.
    struct Entry: Sendable {
        let encoded: EncodedDocument
        let line: Int
        /// Whether the file gives its id, so that an object of that id is updated.
        let hasFileID: Bool

        var id: String { encoded.document.objectId }
    }

    /// When this many are together they are written: enough to spread the cost of a commit, few
    /// enough that a reader who waits for the writer does not notice.
    static let fullCount = 8_192
    /// Rows that take more than this are written before they are that many.
    static let fullBytes = 8 << 20

    /// Whether objects that are there already get the entries' access lists too.
    let setsAccess: Bool
    /// What the batch adds to the import's record, if there is one.
    var step: ImportRecord.Step?
    private(set) var entries: [Entry] = []
    var rejections: [RowRejection] = []
    /// About how much memory the entries take.
    private(set) var bytes = 0

    init(setsAccess: Bool) { self.setsAccess = setsAccess }

    var isEmpty: Bool { entries.isEmpty && rejections.isEmpty }
    var isFull: Bool {
        entries.count >= ImportBatch.fullCount || bytes >= ImportBatch.fullBytes
            || rejections.count >= ImportBatch.fullCount
    }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        // The fields, their text, and what stands beside them.
        bytes += 500 + 2 * entry.encoded.document.fields.approximateBytes
    }

    /// Puts the entries into the order of their ids, which the store takes several times as fast
    /// as any other; of equal ids the earlier row stays first.
    mutating func sort() {
        // The first eight bytes decide nearly always, and numbers are quicker to move than rows.
        let order = entries.enumerated().map { (head: $1.id.head, place: $0) }
        func precedes(_ left: (head: UInt64, place: Int), _ right: (head: UInt64, place: Int))
            -> Bool
        {
            guard left.head == right.head else { return left.head < right.head }
            let (a, b) = (entries[left.place].id, entries[right.place].id)
            // Ids are ASCII, so this is the order of their bytes.
            return a != b ? a < b : left.place < right.place
        }
        if zip(order, order.dropFirst()).allSatisfy(precedes) { return }
        entries = order.sorted(by: precedes).map { entries[$0.place] }
    }
}

extension String {
    /// The first eight bytes as a number that orders as they do.
    fileprivate var head: UInt64 {
        var head: UInt64 = 0
        var shift: UInt64 = 64
        for byte in utf8 {
            shift -= 8
            head |= UInt64(byte) << shift
            if shift == 0 { break }
        }
        return head
    }
}

/// What the store made of a batch.
struct ImportOutcome: Sendable {
    var added = 0
    var updated = 0
    var unchanged = 0
    /// Rows that the class does not take.
    var rejections: [(line: Int, reason: String)] = []
    /// How many of them the class's rules refused, for the sake of objects that are there.
    var refusedByRules = 0
    /// An object that is in the layer now.
    var last: String?
    /// Ids that had to be chosen anew, because the chosen ones were taken.
    var newIDs: [String] = []
}

/// Undoes a job that was only to be tried.
struct DryRunEnd: Error {
    let outcome: ImportOutcome
}

extension ImportBatch {
    /// Writes the entries, on the store's thread. What the class does not take is rejected row by
    /// row; what fails in the store fails the batch.
    ///
    /// - Throws: ``StoreError``; ``DryRunEnd`` at the end of a dry run.
    func write(in transaction: inout WriteTransaction, dryRun: Bool) throws -> ImportOutcome {
        var outcome = ImportOutcome()
        for entry in entries {
            do {
                try writeAsRuled(entry, in: &transaction, &outcome)
            } catch let error as RuleError {
                outcome.refusedByRules += 1
                outcome.rejections.append((entry.line, error.description))
            } catch let error as SchemaError {
                outcome.rejections.append((entry.line, error.description))
            } catch let error as StoreError {
                guard case .documentTooLarge = error else { throw error }
                outcome.rejections.append((entry.line, error.description))
            }
        }
        if dryRun { throw DryRunEnd(outcome: outcome) }
        try step?.write(last: outcome.last, in: &transaction)
        return outcome
    }

    /// Rules may refuse a row that is written already: it is undone then.
    private func writeAsRuled(
        _ entry: Entry, in transaction: inout WriteTransaction, _ outcome: inout ImportOutcome
    ) throws {
        guard transaction.catalog.rules?[entry.encoded.document.className] != nil else {
            return try write(entry, in: &transaction, &outcome)
        }
        outcome = try transaction.attempt { [outcome] part in
            var tried = outcome
            try write(entry, in: &part, &tried)
            return tried
        }.get()
    }

    private func write(
        _ entry: Entry, in transaction: inout WriteTransaction, _ outcome: inout ImportOutcome
    ) throws {
        if try transaction.insertIfAbsent(entry.encoded) {
            outcome.last = entry.id
        } else {
            if entry.hasFileID { return try update(entry, in: &transaction, &outcome) }
            // One chance in 2^59 for each object that exists; a second one is nobody's luck.
            var document = entry.encoded.document
            document.objectId = ObjectID.random()
            try transaction.insert(document)
            outcome.newIDs.append(document.objectId)
            outcome.last = document.objectId
        }
        outcome.added += 1
    }

    /// Sets the fields of the file on the object that is there; its others stay.
    private func update(
        _ entry: Entry, in transaction: inout WriteTransaction, _ outcome: inout ImportOutcome
    ) throws {
        let document = entry.encoded.document
        guard let before = try transaction.object(document.className, document.objectId) else {
            throw StoreError.corrupt  // the insertion has just found it
        }
        outcome.last = document.objectId
        var after = before
        for member in document.fields { after.fields[member.key] = member.value }
        if setsAccess { after.acl = document.acl }
        guard after != before else {
            outcome.unchanged += 1
            return
        }
        after.updatedAt = document.updatedAt
        try transaction.replace(before, with: after)
        outcome.updated += 1
    }
}
