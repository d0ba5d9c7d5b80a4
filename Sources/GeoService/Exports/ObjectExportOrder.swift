import GeoIndex
import GeoStore

/// How objects are written into a file.
package enum ObjectFormat: String, CaseIterable, Sendable {
    case csv, geojson, geojsonl

    /// The names, for messages.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

/// An export of a layer's objects as a command asks for it.
package struct ObjectExportOrder: Sendable {
    /// The parameters of an export beside those of every map endpoint.
    static let parameters = ["bbox", "format"]

    /// The layer.
    package let layer: String
    /// What is made.
    package let format: ObjectFormat
    /// The parameters of `GET /export/{layer}`.
    let items: [(name: String, value: String)]

    /// Checks the options of a command.
    ///
    /// - Throws: ``SettingError`` naming the option.
    package init(
        layer: String, format: ObjectFormat, items: [(name: String, value: String)]
    ) throws(SettingError) {
        guard LayerCatalog.canBeMade(layer) else {
            throw SettingError("--layer", "cannot be \(layer.prefix(64)): no layer has that name")
        }
        self.layer = layer
        self.format = format
        self.items = [("format", format.rawValue)] + items
        do throws(Problem) {
            let query = try ObjectExportOrder.query(
                self.items, of: layer, .anonymous, now: Timestamp.now())
            _ = try query.box("bbox")
        } catch {
            throw SettingError(option: error)
        }
    }

    /// The question of an export's parameters.
    ///
    /// - Throws: ``Problem`` (400) naming the parameter.
    static func query(
        _ items: [(name: String, value: String)], of layer: String, _ viewer: Viewer,
        now: Timestamp
    ) throws(Problem) -> MapQuery {
        for item in items where ArchiveOrder.parameters.contains(item.name) {
            guard !parameters.contains(item.name) else { continue }
            throw .parameter(item.name, "belongs to tiles and pictures, not to csv and GeoJSON")
        }
        return try MapQuery(items: items, layer: layer, viewer, own: parameters, now: now)
    }
}
