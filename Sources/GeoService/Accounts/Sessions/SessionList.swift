import GeoStore
import JSONText

/// The sessions of a user, by which they are found when they are to end: kept as a secret of the
/// user, since no answer needs them.
struct SessionList: Sendable {
    /// One session.
    struct Entry: Hashable, Sendable {
        let id: String
        /// The installation's id.
        let device: String?
        let expiresAt: Timestamp
    }

    /// In the order in which they were made.
    private(set) var entries: [Entry]

    /// How many sessions a user may have; beyond it the oldest end.
    static let greatestCount = 200
    static let secret = "sessions"

    /// The sessions of a user.
    ///
    /// - Throws: ``StoreError``.
    init(of userId: String, in transaction: borrowing WriteTransaction) throws {
        let bytes = try transaction.secret(Self.secret, of: AccountNames.user, userId)
        let values = bytes.flatMap { try? JSONParser.parse($0) }?.arrayValue ?? []
        entries = values.compactMap { value in
            guard let id = value["id"]?.stringValue, let end = value["end"]?.integerValue else {
                return nil
            }
            return Entry(
                id: id, device: value["device"]?.stringValue,
                expiresAt: Timestamp(milliseconds: end))
        }
    }

    mutating func add(_ entry: Entry) { entries.append(entry) }

    mutating func remove(_ id: String) { entries.removeAll { $0.id == id } }

    /// - Throws: ``StoreError``.
    func store(for userId: String, in transaction: inout WriteTransaction) throws {
        let values = entries.map { entry in
            var members: JSONObject = [
                "id": .string(entry.id), "end": .integer(entry.expiresAt.milliseconds),
            ]
            if let device = entry.device { members["device"] = .string(device) }
            return JSONValue.object(members)
        }
        try transaction.setSecret(
            Self.secret, of: AccountNames.user, userId,
            to: values.isEmpty ? nil : JSONWriter.encode(.array(values)))
    }
}
