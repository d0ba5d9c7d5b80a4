import GeoIndex
import GeoStore

/// What of a class a viewer may see on the map.
enum MapSight: Hashable, Sendable {
    /// All objects that he may read.
    case all
    /// Of those, the objects that name him in one of these fields.
    case named([String])
    /// What `heat.public` shows of a class that he may not find.
    case heat
    /// Nothing; the reason.
    case nothing(String)
}

/// What the permissions of classes let viewers see of the map.
///
/// There is no map where a viewer is not shown a field that maps are drawn from, since counts, kinds,
/// sums and places would tell it.
struct MapPermissions: Sendable {
    let directory: PermissionDirectory
    let store: SQLiteStore
    let layers: LayerCatalog

    private func permissions(of className: String) -> ClassPermissions {
        directory.permissions(of: className, in: store.catalog)
    }

    // MARK: - Classes

    /// What of a class a viewer may see.
    ///
    /// - Complexity: O(names of the viewer + protections).
    func sight(of className: String, for viewer: Viewer) -> MapSight {
        let layer = layers.layer(named: className)
        let permissions = permissions(of: className)
        if let field = drawnAndHidden(of: layer, className, permissions, from: viewer) {
            return .nothing(
                "the map of \(className) is drawn from its field \(field), which you are not shown")
        }
        if className == AccountNames.user, viewer.isAnonymous {
            return .nothing("the map of \(className) is for signed-in viewers")
        }
        switch permissions.verdict(on: .find, for: viewer.principals) {
        case .granted: return .all
        case .limited(let fields) where !viewer.isAnonymous: return .named(fields)
        case .limited, .needsUser, .refused: break
        }
        let isOpen = permissions.mayFind(.anonymous)
        if let layer, layer.settings.heat.isPublic, !isOpen { return .heat }
        return .nothing("the permissions of \(className) do not let you look for its objects")
    }

    /// Whether a viewer sees that there is a layer: because everybody does, or because it has something
    /// for him.
    func isThere(_ layer: Layer, to viewer: Viewer, _ sight: MapSight) -> Bool {
        switch sight {
        case .all: return layer.isKnown || layer.hidden.selection(of: viewer.principals) != nil
        // That such a class has places is told to whoever it may name: whether it names him is only
        // known when his map is made.
        case .named, .heat, .nothing: return true
        }
    }

    /// A field that a map of the class is drawn from and that the viewer is not shown, of one object
    /// at least.
    private func drawnAndHidden(
        of layer: Layer?, _ className: String, _ permissions: ClassPermissions, from viewer: Viewer
    ) -> String? {
        let hidden = permissions.fieldsHiddenSomewhere(from: viewer.principals)
        guard !hidden.isEmpty else { return nil }
        let fields = layer?.settings.fields ?? LayerFields()
        var drawn = fields.kind.map { [$0] } ?? ["kind", "category"]
        drawn.append(fields.weight ?? "weight")
        if let place = fields.location ?? store.catalog[className]?.geoPointField {
            drawn.append(place)
        }
        if let time = fields.time { drawn.append(time) }
        return (drawn + fields.aggregatedFields).first { hidden.contains($0) }
    }

    /// Refuses what a viewer may not look for, and what is no layer to him.
    ///
    /// - Parameter heatIsEnough: Whether it is about heat alone, which may be public without the
    ///   objects.
    /// - Returns: What he may see.
    /// - Throws: ``Problem``: 403, and 404 as for a layer that nobody has.
    @discardableResult
    func check(
        _ className: String, for viewer: Viewer, heatIsEnough: Bool = false
    ) throws(Problem) -> MapSight {
        let layer = layers.layer(named: className)
        // Accounts are a layer only where an operator wants them to be.
        if layer == nil, className == AccountNames.user { throw LayerCatalog.noLayer(className) }
        let sight = sight(of: className, for: viewer)
        switch sight {
        case .all, .named: break
        case .heat:
            guard heatIsEnough else { throw MapPermissions.onlyHeat(className) }
        case .nothing(let reason): throw Problem(.forbidden, reason)
        }
        if LayerCatalog.reservedNames.contains(className) { return sight }
        guard let layer, isThere(layer, to: viewer, sight) else {
            throw LayerCatalog.noLayer(className)
        }
        return sight
    }

    /// A 403 for what is not heat, of a class of which nothing else is public.
    static func onlyHeat(_ className: String) -> Problem {
        Problem(
            .forbidden,
            "the permissions of \(className) do not let you look for its objects: only its "
                + "heat and hotspots are public")
    }

    /// A layer as a viewer sees it. Blocks where objects that name viewers have to be read first.
    ///
    /// - Throws: What the store throws.
    func look(at layer: Layer, as viewer: Viewer) throws -> SeenLayer {
        guard !viewer.isAnonymous, case .named(let fields) = sight(of: layer.name, for: viewer)
        else {
            return layers.views.look(at: layer, as: viewer)
        }
        let named = try layer.named.objects(by: fields, of: layer, from: store)
        return layers.views.look(at: layer, named, as: viewer)
    }

    /// A layer as a viewer sees it, unless objects that name him have to be read first.
    func lookAtOnce(at layer: Layer, as viewer: Viewer) -> SeenLayer? {
        if case .named = viewer.sight { return nil }
        return layers.views.look(at: layer, as: viewer)
    }

    /// Whether a viewer gets of a layer's heat what is public of it, and not his own map's.
    func isHeatProtected(of layer: Layer, for viewer: Viewer) -> Bool {
        switch sight(of: layer.name, for: viewer) {
        case .heat: true
        // Of his own objects alone there would hardly ever be any.
        case .named:
            layer.settings.heat.isPublic && !permissions(of: layer.name).mayFind(.anonymous)
        case .all, .nothing: false
        }
    }

    // MARK: - Fields

    /// Refuses a condition on a field that a viewer is not shown, of one object at least.
    ///
    /// - Throws: ``Problem`` (403).
    func check(_ paths: [WherePath], of className: String, for viewer: Viewer) throws(Problem) {
        var hidden = permissions(of: className).fieldsHiddenSomewhere(from: viewer.principals)
        if className == AccountNames.user { hidden.formUnion(AccountFields.neverOnMaps) }
        guard let path = paths.first(where: { hidden.contains($0.field) }) else { return }
        throw Problem(
            .forbidden, "where asks about \(path.text), which you are not shown",
            errors: [Problem.Fault(field: "where", message: "asks about \(path.text)")])
    }

    /// The fields of a class that a viewer is not shown; nil when that depends on the object.
    func hiddenFields(of className: String, from viewer: Viewer) -> Set<String>? {
        let permissions = permissions(of: className)
        if !viewer.isAnonymous, permissions.dependsOnObjects { return nil }
        return permissions.hiddenFields(from: viewer.principals).union(
            className == AccountNames.user ? AccountFields.neverOnMaps : [])
    }

    /// The fields of one object that a viewer is not shown.
    func hiddenFields(of document: Document, from viewer: Viewer) -> Set<String> {
        let className = document.className
        return permissions(of: className).hiddenFields(of: document, from: viewer.principals).union(
            className == AccountNames.user ? AccountFields.neverOnMaps : [])
    }
}
