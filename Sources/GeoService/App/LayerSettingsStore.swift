import GeoIndex
import GeoStore
import JSONText

/// Reads and writes what is kept of layers: an object of the system class `_Layer` each, with the
/// layer's `name`, its `settings`, and its colour scale as `heat` (``HeatScaleStore``).
enum LayerSettingsStore {
    static let className = "_Layer"

    /// The fixed id of a layer's object: a hash of its name.
    static func objectId(of layer: String) -> String {
        var hash = StableHash()
        hash.combine(bytes: layer.utf8)
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The settings of all layers that have some.
    ///
    /// - Throws: ``StoreError/corrupt`` for settings that are not what this program writes: a
    ///   layer must not come back without what hides people in it.
    static func all(in reader: borrowing Reader) throws -> [String: LayerSettings] {
        var found: [String: LayerSettings] = [:]
        try reader.scan(className) { document in
            guard let name = document.fields["name"]?.stringValue,
                let members = document.fields["settings"]?.objectValue
            else { return true }
            do throws(Problem) {
                found[name] = try LayerSettings.initial(of: name).changed(
                    by: members, nil, areStored: true)
            } catch {
                throw StoreError.corrupt
            }
            return true
        }
        return found
    }

    /// Removes the settings and the scale of a layer.
    static func remove(_ layer: String, in transaction: inout WriteTransaction) throws {
        _ = try transaction.delete(className, objectId(of: layer))
    }

    /// Writes the settings and the scale of a layer.
    static func save(
        _ settings: LayerSettings, _ scale: HeatScale, of layer: String,
        in transaction: inout WriteTransaction
    ) throws {
        _ = try transaction.upsert(
            Document(
                className: className, objectId: objectId(of: layer), createdAt: .now(),
                acl: AccessList(),
                fields: [
                    "name": .string(layer), "settings": .object(settings.json),
                    "heat": scale.json,
                ]))
    }
}
