import GeoIndex
import GeoStore
import JSONText

/// Changes what layers are set to, one change at a time.
///
/// A change holds for every request that begins after its answer, and after a restart; no request
/// sees a part of it. When it asks for another index, that is built first, beside the one that
/// answers, and nothing is stored or shown until it is there.
struct LayerEditor: Sendable {
    let catalog: LayerCatalog
    let store: SQLiteStore
    let fitter: HeatFitter
    /// One thread: changes wait for one another here.
    let pool = WorkPool(threads: 1, queueLimit: 16)

    /// Changes the settings of a layer, and makes an empty layer when there is none.
    ///
    /// - Returns: The layer as it is from now on.
    /// - Throws: ``Problem``: 400 with all that is wrong with the members, 404 for a name that no
    ///   layer can have; ``StoreError``, and then nothing has changed.
    func change(_ name: String, by members: JSONObject) throws -> Layer {
        guard LayerCatalog.canBeMade(name) else {
            throw Problem(
                .notFound,
                "no layer can be called \(name): a name begins with a letter, has letters, digits "
                    + "and underscores only, and is none of "
                    + LayerCatalog.reservedNames.sorted().joined(separator: ", "))
        }
        let former = catalog.layer(named: name)
        let before = former?.settings ?? .initial(of: name)
        let settings = try before.changed(by: members, store.catalog[name])
        if let former, settings == before { return former }
        guard let former, former.settings.fields == settings.fields else {
            let rebuild = try catalog.rebuild(name, for: settings, from: store)
            do {
                return try fitter.withoutFitting {
                    // There may be a layer now that was not there when the change began.
                    let scale = try save(
                        settings, of: name, after: catalog.layer(named: name),
                        rebuild.snapshot)
                    return try catalog.replace(with: rebuild, scale: scale)
                }
            } catch {
                catalog.abandon(rebuild)
                throw error
            }
        }
        return try fitter.withoutFitting {
            let scale = try save(settings, of: name, after: former, former.current(at: .now()))
            return catalog.replace(former, settings: settings, scale: scale)
        }
    }

    /// Removes all settings of a layer whose class has no objects with a place, and its colour
    /// scale: a layer that settings alone have made is gone then.
    ///
    /// - Returns: The layer without settings when its class has a GeoPoint field, so that it stays
    ///   one; else nil.
    /// - Throws: ``Problem``: 404 when there is no such layer, 409 while there are objects, whoever
    ///   may read them; ``StoreError``, and then nothing has changed.
    func remove(_ name: String) throws -> Layer? {
        guard catalog.layer(named: name) != nil else { throw LayerCatalog.noLayer(name) }
        // Asked once more in the transaction; here it spares building an index for nothing.
        // Users are a layer only as long as an operator wants them to be.
        let canGo = !LayerCatalog.canBeLayer(name)
        if try !canGo && store.read({ try $0.hasPlaces(name) }) { throw Self.inUse(name) }
        let rebuild = try catalog.rebuild(name, for: .initial(of: name), from: store)
        do {
            return try fitter.withoutFitting {
                try store.write { transaction in
                    if try !canGo && transaction.hasPlaces(name) { throw Self.inUse(name) }
                    try LayerSettingsStore.remove(name, in: &transaction)
                }
                try catalog.replace(with: rebuild, scale: .unfitted, isSetUp: false)
                return catalog.remove(name) {
                    store.catalog[name].map { LayerCatalog.isLayer($0) } ?? false
                }
            }
        } catch {
            catalog.abandon(rebuild)
            throw error
        }
    }

    private static func inUse(_ name: String) -> Problem {
        Problem(
            .conflict,
            "\(name) has objects with a place, perhaps private ones, and is a layer as long as it "
                + "has: delete them first. Settings alone are unset by PUT with null")
    }

    /// Stores settings and the colour scale that goes with them, and gives that scale.
    private func save(
        _ settings: LayerSettings, of name: String, after former: Layer?,
        _ snapshot: @autoclosure () -> IndexSnapshot
    ) throws -> HeatScale {
        let heat = former?.settings.heat ?? HeatSettings()
        var scale = former?.heatScale ?? .unfitted
        if heat.domains != settings.heat.domains
            || heat.effectiveRadiusPixels != settings.heat.effectiveRadiusPixels
            || (settings.heat.domains == nil
                && heat.halfLifeMinutes != settings.heat.halfLifeMinutes)
        {
            scale = .scale(for: settings.heat, after: scale, snapshot(), at: .now())
        }
        return try store.write { [scale] transaction in
            try LayerSettingsStore.save(settings, scale, of: name, in: &transaction)
            return scale
        }
    }
}
