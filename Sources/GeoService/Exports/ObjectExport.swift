import GeoIndex
import GeoStore
import JSONText

/// Writes the objects of a layer as one viewer sees them, in the order of their ids, a page at a
/// time.
///
/// Which objects are there is decided at the beginning, for all of the file; their fields are read
/// page by page and may be newer. Objects without a place are on no map, so that no filter keeps
/// them: they come when there is none. Memory holds a page and eight bytes for each object that
/// the filters keep.
///
/// It belongs to one thread.
final class ObjectExport {
    private let layer: Layer
    private let query: MapQuery
    private let objects: ObjectReader
    private let snapshot: IndexSnapshot
    /// The keys of the objects that are written, ascending.
    private let kept: [UInt64]
    private let takesPlaceless: Bool
    private let parser = JSONParser()
    private var writer: ObjectFileWriter
    private var last: String? = ""
    /// How many objects were looked at.
    private(set) var visited = 0
    /// How many objects were written.
    private(set) var written = 0

    /// Objects that are read together.
    private static let pageCount = 512

    /// Begins an export. Blocks.
    ///
    /// - Throws: ``Problem``; what the store throws.
    init(
        _ format: ObjectFormat, _ query: MapQuery, of layer: Layer, objects: ObjectReader
    ) throws {
        try objects.permissions.check(layer.name, for: query.viewer)
        self.layer = layer
        self.query = query
        self.objects = objects
        let box = try query.box("bbox")
        takesPlaceless = box == nil && query.condition == nil && query.filter.keepsAll
        (snapshot, kept) = try objects.ask(layer, query) { snapshot, filter in
            (
                snapshot,
                snapshot.objectKeys(in: .box(box ?? .world), filter: filter).map(\.bits).sorted()
            )
        }
        writer = ObjectFileWriter(
            format, columns: try ObjectExport.columns(of: layer, query.viewer, objects))
    }

    /// How many objects there are to look at, about.
    var total: Int { max(snapshot.count, visited) }

    /// The next bytes of the file; nil after its end.
    ///
    /// - Throws: ``Problem``; what the store throws.
    func next() throws -> [UInt8]? {
        guard let after = last else { return nil }
        let name = layer.name
        var ids: [String] = []
        last = nil
        try objects.store.read { reader in
            try reader.scanIds(name, after: after) { id in
                visited += 1
                if takesPlaceless || isKept(id) { ids.append(id) }
                // Ids are quick to pass over, and the reader is not to be held for all of them.
                guard ids.count < Self.pageCount, visited % (Self.pageCount * 16) != 0 else {
                    last = id
                    return false
                }
                return true
            }
        }
        let found = try objects.shown(
            name, layer.settings.fields, ids: ids, to: query.viewer, omitting: [])
        for object in found.objects {
            guard let object, object.position == nil || !takesPlaceless || isKept(object.objectId)
            else { continue }
            writer.add(ExportedObject(object, try fields(of: object, in: found)))
            written += 1
        }
        if last == nil { writer.finish() }
        return writer.take()
    }

    private func fields(
        of object: ShownObjects.Object, in all: ShownObjects
    ) throws -> JSONObject {
        var text = [UInt8(ascii: "{")]
        all.withFields(of: object) { span in
            unsafe span.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
        }
        text.append(UInt8(ascii: "}"))
        guard let fields = try parser.parse(text.span).objectValue else {
            throw StoreError.corrupt
        }
        return fields
    }

    private func isKept(_ id: String) -> Bool {
        guard let key = snapshot.objectKey(for: id)?.bits else { return false }
        var low = 0
        var high = kept.count
        while low < high {
            let middle = (low + high) / 2
            if kept[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < kept.count && kept[low] == key
    }

    /// The fields that a table has columns for, in the order of their names.
    private static func columns(
        of layer: Layer, _ viewer: Viewer, _ objects: ObjectReader
    ) throws -> [String] {
        guard let schema = objects.store.catalog[layer.name] else { return [] }
        var names = Set(schema.fields.keys)
        names.remove(schema.geoPointField ?? "")
        // The ids are that.
        names.remove(ExportedObject.sourceField)
        names.subtract(schema.removedFields)
        // Where it depends on the object, the column is there and its cells may be empty.
        names.subtract(objects.permissions.hiddenFields(of: layer.name, from: viewer) ?? [])
        for (name, type) in schema.fields {
            if case .relation = type { names.remove(name) }
        }
        return names.sorted()
    }
}
