import GeoIndex
import JSONText

/// The row that a query judges. What is asked of it is taken from its columns where they tell it,
/// so that most objects of an answer are copied as the text that is stored; only what is shown in
/// another form than it is stored becomes a ``Document``.
///
/// It holds for the row on which its statement stands, and belongs to one query.
final class ObjectRow {
    /// What a statement selects from whose rows objects are judged.
    static let columns = """
        objects.id, objects.created, objects.updated, objects.acl, objects.body,
            objects.accuracy, objects.expires, objects.lon, objects.lat
        """

    /// How many these are.
    static let columnCount: Int32 = 9

    private let decoder: SQLiteDocumentDecoder
    private let access: QueryAccess
    // The class whose rows are read.
    private var className = ""
    private var view: StoredView?
    private var geoPointField: String?
    // The row.
    private var columns: SQLiteStatement?
    private(set) var objectId = ""
    private var acl: StoredAccessList?
    /// The object in another form than it is stored.
    private var changed: Document?
    /// The fields as they are stored, once one was asked for that no column tells.
    private var fields: JSONObject?

    init(_ decoder: SQLiteDocumentDecoder, _ access: QueryAccess) {
        self.decoder = decoder
        self.access = access
    }

    /// Says of which class the next rows are.
    func enter(_ className: String) {
        self.className = className
        view = access.stored(className)
        geoPointField = access.schema(className)?.geoPointField
    }

    /// Takes the row on which a statement stands; false when the object is not there for the
    /// caller.
    ///
    /// - Throws: ``StoreError/corrupt`` when the texts are not what the store writes.
    func move(to columns: SQLiteStatement, objectId: String) throws(StoreError) -> Bool {
        self.columns = columns
        self.objectId = objectId
        (changed, fields) = (nil, nil)
        guard let view, view.principals.isMaster || columns.isNull(5) else {
            let document = try decoder.document(
                columns, from: 1, className: className, objectId: objectId)
            changed = access.shown(document)
            return changed != nil
        }
        acl = try decoder.accessList(columns, 3)
        guard view.principals.mayRead(acl?.list) else { return false }
        guard let now = view.now, let expires = columns.optionalInteger(6) else { return true }
        return expires > now.milliseconds
    }

    /// The value at a path of the object, as it is shown. O(1) where a column tells it, else
    /// O(size of the object) for the first one.
    func value(_ path: WherePath) throws(StoreError) -> FieldValue {
        if let changed { return FieldValue(path, of: changed) }
        guard let columns else { return .missing }
        if path.names.count == 1 {
            switch path.names[0] {
            case "objectId": return .text(objectId)
            case "createdAt": return .date(columns.integer(1))
            case "updatedAt": return .date(columns.integer(2))
            // The columns have the field's very numbers.
            case let name where name == geoPointField && !columns.isNull(7):
                guard let place = try? LonLat(lon: columns.double(7), lat: columns.double(8))
                else { throw .corrupt }
                return .place(RoundedPosition(place))
            default: break
            }
        }
        if let fields { return FieldValue(path, in: fields) }
        guard let read = try decoder.json(columns, 4).objectValue else { throw .corrupt }
        fields = read
        return FieldValue(path, in: read)
    }

    /// The object as it is shown.
    func found() throws(StoreError) -> FoundObject {
        if let changed { return .document(changed) }
        guard let columns else { throw .corrupt }
        return .stored(
            try StoredObject(
                className: className, objectId: objectId,
                createdAt: Timestamp(milliseconds: columns.integer(1)),
                updatedAt: Timestamp(milliseconds: columns.integer(2)), acl: acl,
                fields: columns.bytes(4)))
    }
}

extension Reader {
    /// The objects of those ids that are there for a caller, in that order.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: O(ids · log n).
    package func found(
        _ className: String, ids: some Sequence<String>, for access: QueryAccess
    ) throws -> [FoundObject] {
        guard let number = try connection.number(of: className) else { return [] }
        let row = ObjectRow(connection.decoder, access)
        row.enter(className)
        var found: [FoundObject] = []
        for id in ids {
            try connection.withRow(number, id) { columns in
                try connection.connection.take(rows: 1, bytes: columns.byteCount(4))
                if try row.move(to: columns, objectId: id) { found.append(try row.found()) }
            }
        }
        return found
    }
}

extension ObjectRow {
    /// Whether the object matches a condition.
    ///
    /// - Throws: ``WhereError`` `tooCostly`, ``StoreError``.
    func matches(_ condition: Where?) throws -> Bool {
        guard let condition else { return true }
        return try condition.holds { try value(condition.paths[$0]) }
    }
}
