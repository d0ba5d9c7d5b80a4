import GeoIndex
import GeoStore
import JSONText
import SyntheticCity

/// The demo's city as objects of an ordinary class.
enum DemoCity {
    /// The class, and so the layer.
    static let layer = "Spot"

    /// Makes the city when the store has no class of that name, all of it or nothing.
    ///
    /// - Returns: Whether it was made.
    /// - Throws: ``StoreError``.
    static func make(in store: SQLiteStore, progress: (String) -> Void) throws -> Bool {
        guard store.catalog[layer] == nil else { return false }
        progress("making a city of \(CityLife.population) objects in the layer \(layer)")
        // The city's history ends where its life begins.
        let now = Timestamp.now()
        let shift = now.milliseconds - CityGenerator.referenceMilliseconds
        let documents = try CityLife.initialRecords().map { record in
            try document(
                record, id: record.id,
                at: Timestamp(milliseconds: record.timeMilliseconds + shift))
        }
        let sorted = documents.sorted { $0.objectId < $1.objectId }
        try store.write { transaction in
            for document in sorted { try transaction.insert(document) }
        }
        return true
    }

    /// A record as an object.
    static func document(_ record: CityRecord, id: String, at time: Timestamp) throws -> Document {
        Document(
            className: layer, objectId: id, createdAt: time,
            fields: [
                "title": .string(record.title), "kind": .string(record.kind.name),
                "weight": .number(record.weight), "owner": .string(record.ownerName),
                "likes": 0, "location": place(try LonLat(lon: record.lon, lat: record.lat)),
            ])
    }

    static func place(_ position: LonLat) -> JSONValue { GeoPointField.json(position) }

    /// Whether an object is one of the city's own, so that the city's life may touch it: what
    /// people add to the layer is theirs.
    static func isOwn(_ document: Document) -> Bool {
        guard let owner = document.fields["owner"]?.stringValue, owner.hasPrefix("user"),
            document.fields["likes"]?.integerValue != nil
        else { return false }
        let digits = owner.dropFirst(4)
        return digits.utf8.count == 5 && UInt32(digits) != nil
    }
}
