import GeoIndex
import GeoStore

/// What the permissions of classes let viewers see of the map.
///
/// A map is of all objects that a viewer may read: of a class that is open to him only as far as
/// objects name him, there is none. Nor is there one where he is not shown a field that a map is
/// drawn from, since counts, kinds, sums and places would tell it.
struct MapPermissions: Sendable {
    let directory: PermissionDirectory
    let store: SQLiteStore
    let layers: LayerCatalog

    private func permissions(of className: String) -> ClassPermissions {
        directory.permissions(of: className, in: store.catalog)
    }

    /// Whether there is a map of a class for a viewer.
    func shows(_ className: String, to viewer: Viewer) -> Bool {
        permissions(of: className).mayFind(viewer.principals)
            && drawnAndHidden(of: className, from: viewer) == nil
    }

    /// A field that a map of the class is drawn from and that the viewer is not shown.
    private func drawnAndHidden(of className: String, from viewer: Viewer) -> String? {
        let hidden = hiddenFields(of: className, from: viewer)
        guard !hidden.isEmpty else { return nil }
        let fields = layers.layer(named: className)?.settings.fields ?? LayerFields()
        var drawn = fields.kind.map { [$0] } ?? ["kind", "category"]
        drawn.append(fields.weight ?? "weight")
        if let place = fields.location ?? store.catalog[className]?.geoPointField {
            drawn.append(place)
        }
        if let time = fields.time { drawn.append(time) }
        return (drawn + fields.aggregatedFields).first { hidden.contains($0) }
    }

    /// Refuses what a viewer may not look for.
    ///
    /// - Throws: ``Problem`` (403).
    func check(_ className: String, for viewer: Viewer) throws(Problem) {
        if let field = drawnAndHidden(of: className, from: viewer) {
            throw Problem(
                .forbidden,
                "the map of \(className) is drawn from its field \(field), which you are not shown")
        }
        guard shows(className, to: viewer) else {
            throw Problem(
                .forbidden, "the permissions of \(className) do not let you look for its objects")
        }
    }

    /// Refuses a condition on a field that a viewer is not shown.
    ///
    /// - Throws: ``Problem`` (403).
    func check(_ paths: [WherePath], of className: String, for viewer: Viewer) throws(Problem) {
        let hidden = hiddenFields(of: className, from: viewer)
        guard let path = paths.first(where: { hidden.contains($0.field) }) else { return }
        throw Problem(
            .forbidden, "where asks about \(path.text), which you are not shown",
            errors: [Problem.Fault(field: "where", message: "asks about \(path.text)")])
    }

    /// The fields that a viewer is not shown.
    func hiddenFields(of className: String, from viewer: Viewer) -> Set<String> {
        permissions(of: className).hiddenFields(from: viewer.principals)
    }
}
