import GeoIndex
import GeoStore
import JSONText
import TileRender

/// A whole service: store, indexes, routes and server. It serves from its creation until
/// ``stop()``.
package final class Service: Sendable {
    /// Where it listens.
    package let url: String
    /// What a person should be told at the start, a line each.
    package let notices: [String]

    let core: ServiceCore
    private let server: HTTPServer

    /// Starts a service.
    ///
    /// - Parameter progress: Told what is being done, for a person who waits.
    /// - Throws: ``SettingError``, ``StoreError``, ``HTTPServerError``, ``BasemapError``: each
    ///   names what is wrong.
    package init(
        _ configuration: Configuration, progress: (String) -> Void = { _ in }
    ) throws {
        let assets = try Assets(root: configuration.assets)
        let core = try ServiceCore(configuration, assets: assets, progress: progress)
        self.core = core
        var router = Router()
        try core.register(in: &router, assets: assets)
        var http = HTTPConfiguration()
        http.listen = configuration.listen
        http.publicURL = configuration.publicURL
        http.trustedProxies = configuration.trustedProxies
        http.cors = configuration.cors
        http.errorResponse = { error, request in ErrorAnswers.response(to: error, request) }
        server = try HTTPServer(http, router: router)
        url = server.url
        notices = core.notices
        core.started(url: server.url)
    }

    /// Stops: takes no more requests, finishes those under way, stores all, gives up the files.
    package func stop() {
        core.stopJobs()
        server.stop(within: core.configuration.stopDeadline)
        core.close()
    }
}

/// What the routes share.
final class ServiceCore: Sendable {
    let configuration: Configuration
    let keys: Keys
    let store: SQLiteStore
    let catalog: LayerCatalog
    let fitter: HeatFitter
    let objects: ObjectReader
    /// Who looks at the map.
    let viewers: Viewers
    let editor: LayerEditor
    /// Who may use the master key, and this machine's commands.
    let access: MasterAccess
    /// Users, sessions, roles.
    let accounts: Accounts
    private let basemap: BasemapTiles
    /// The permissions of classes.
    let permissions = PermissionDirectory()
    /// Classes, settings and the server.
    let administration: Administration
    /// Requests that are carried out once.
    let idempotency: Idempotency
    private let directory: String
    private let keeper: SnapshotKeeper
    private let preparer: ClusterPreparer
    private let life: DemoLife?
    private let expirySweep: ExpirySweep
    /// Makes indexes for finds that were slow.
    let indexes: IndexMaker
    /// Map answers that are too long for an event thread; see ``ObjectReader``.
    let mapPool = WorkPool(threads: 2, queueLimit: 1_024)
    /// Map answers with a `where`, which may have to read a layer first.
    let conditionPool = WorkPool(threads: 2, queueLimit: 256)
    /// Reads behind the answers of the Parse API.
    let readPool = WorkPool(threads: 2, queueLimit: 1_024)
    /// Tiles that are not in the cache: up to some milliseconds each.
    let drawPool = WorkPool(threads: 2, queueLimit: 512)
    /// Imports: one at a time, so that they do not starve what is asked meanwhile.
    let importPool = WorkPool(threads: 1, queueLimit: 8)
    /// Archives of tiles.
    let exportPool = WorkPool(
        threads: ExportRoutes.threads, queueLimit: ExportRoutes.queueLimit, retryAfterSeconds: 30)
    /// Files on their way in and out.
    let filePool = WorkPool(threads: 2, queueLimit: 512)
    /// Pictures that are being decoded, each in a process of its own.
    let picturePool = WorkPool(
        threads: PictureWorks.threads, queueLimit: PictureWorks.queueLimit, retryAfterSeconds: 5)
    let files: FileFolder
    let notices: [String]

    /// Opens the store and reads what it has.
    ///
    /// - Parameter now: What time it is; tests pass a clock of their own.
    init(
        _ configuration: Configuration, assets: Assets,
        now: @escaping @Sendable () -> Timestamp = { .now() }, progress: (String) -> Void
    ) throws {
        self.configuration = configuration
        basemap = try BasemapTiles(
            file: assets.worldMapFile(), style: assets.basemapStyleFile(),
            limitBytes: configuration.tileCacheBytes / 4, pool: drawPool)
        let directory = try StoreDirectory(path: configuration.dataDirectory)
        keys = try Keys(configuration, directory: directory.path)
        let store = try SQLiteStore(directory)
        let hasNewCity =
            try configuration.demo != .none && DemoCity.make(in: store, progress: progress)
        let catalog = LayerCatalog(
            now: now, clusterCacheBytes: configuration.clusterCacheBytes,
            viewCacheBytes: configuration.viewCacheBytes)
        progress("reading the store")
        let snapshots = LayerSnapshots(SnapshotFolder(directory))
        try catalog.load(from: store, scales: HeatScaleStore(), snapshots: snapshots)
        keeper = SnapshotKeeper(catalog, snapshots)
        let fitter = HeatFitter(store: store, newest: catalog.layer(named:))
        let accounts = try Accounts(
            configuration.accounts, store: store, directory: directory.path, appID: keys.appID,
            publicURL: configuration.publicURL, now: now)
        self.accounts = accounts
        let idempotency = try Idempotency(
            paths: configuration.idempotentPaths, store: store, now: now)
        self.idempotency = idempotency
        store.observeCommits { changes, position in
            accounts.apply(changes)
            idempotency.apply(changes)
            fitter.layersChanged(catalog.apply(changes, at: position), changes: changes.count)
        }
        preparer = ClusterPreparer(catalog)
        self.store = store
        self.catalog = catalog
        self.fitter = fitter
        expirySweep = ExpirySweep(catalog: catalog)
        indexes = IndexMaker(store: store)
        if hasNewCity, let city = catalog.layer(named: DemoCity.layer) { fitter.fit(city) }
        viewers = Viewers(
            sessions: accounts.sessions, tokens: MapTokens(now: now),
            permissions: MapPermissions(
                directory: permissions, store: store, layers: catalog),
            pool: mapPool)
        objects = ObjectReader(
            store: store, permissions: viewers.permissions, pool: mapPool,
            conditions: WhereAnswers(store: store, limits: configuration.conditions),
            conditionPool: conditionPool)
        editor = LayerEditor(catalog: catalog, store: store, fitter: fitter)
        administration = try Administration(store: store, editor: editor)
        access = MasterAccess(
            keys: keys, addresses: configuration.masterKeyAddresses, localKey: Keys.randomKey())
        self.directory = directory.path
        ExportRoutes.removeLeftovers(in: directory.path)
        files = try FileFolder(in: directory.path)
        try FileRecords(store: store).removeOrphans(in: files)
        life = configuration.demo == .living ? DemoLife(store: store) : nil
        notices = ServiceCore.notices(configuration)
    }

    private static func notices(_ configuration: Configuration) -> [String] {
        func text(_ setting: Bool?) -> String {
            switch setting {
            case true?: "on"
            case false?: "off"
            case nil: "on for requests from this machine, off through a proxy"
            }
        }
        return [
            "clients may create classes: \(text(configuration.clientClassCreation))",
            "clients may send files without a user: \(text(configuration.publicUploads))",
        ]
    }

    func register(in router: inout Router, assets: Assets) throws {
        let tiles = TileCache(limitBytes: configuration.tileCacheBytes)
        let marks = try MarkFile(path: assets.marks)
        let painter = try TilePainter(marks.style)
        let pictures = TileRoutes(
            catalog: catalog, painter: painter, marks: marks, cache: tiles, basemap: basemap,
            pool: drawPool, objects: objects, viewers: viewers)
        pictures.register(in: &router)
        TileJSONRoutes(catalog: catalog, objects: objects, viewers: viewers).register(in: &router)
        let vectors = VectorTileRoutes(
            catalog: catalog, cache: tiles, objects: objects, viewers: viewers)
        vectors.register(in: &router)
        TilesetRoutes(catalog: catalog, pictures: pictures, vectors: vectors, viewers: viewers)
            .register(in: &router)
        ClusterRoutes(catalog: catalog, objects: objects, viewers: viewers).register(in: &router)
        ProximityRoutes(catalog: catalog, objects: objects, viewers: viewers).register(in: &router)
        GridRoutes(catalog: catalog, objects: objects, viewers: viewers).register(in: &router)
        DirectionsRoutes(pool: mapPool, router: configuration.router).register(in: &router)
        HotspotRoutes(
            catalog: catalog, objects: objects, viewers: viewers,
            access: PinAccess(master: access)
        ).register(in: &router)
        CollectionRoutes(catalog: catalog, viewers: viewers, editor: editor, access: access)
            .register(in: &router)
        RuleRoutes(administration: administration, catalog: catalog, access: access)
            .register(in: &router)
        MapTokenRoutes(viewers: viewers).register(in: &router)
        try OpenAPIRoutes(assets).register(in: &router)
        ImportRoutes(
            store: store, catalog: catalog, fitter: fitter, access: access, pool: importPool,
            spoolDirectory: directory
        ).register(in: &router)
        ExportRoutes(
            catalog: catalog, objects: objects, viewers: viewers, access: access,
            basemap: basemap, painter: painter, pool: exportPool, spoolDirectory: directory
        ).register(in: &router)
        FileRoutes(self).register(in: &router)
        ParseRoutes(self).register(in: &router)
        HealthRoutes().register(in: &router)
        try StaticFiles(assets).register(in: &router)
    }

    /// Starts what runs beside the requests.
    func started(url: String) {
        leaveNote(url: url)
        accounts.mail?.started(url: url)
        life?.start()
        keeper.start()
        expirySweep.start()
        indexes.resume()
        // The first write to a large layer should not have to wait for this.
        for layer in catalog.all {
            _ = readPool.submit { layer.index.prepareForChanges() }
        }
        preparer.start()
        basemap.prepare()
        administration.start()
    }

    func stopJobs() {
        ServerNote.remove(fromDirectory: directory)
        life?.stop()
        keeper.stop()
        expirySweep.stop()
        preparer.stop()
    }

    /// Tells this machine's commands how to reach the server.
    private func leaveNote(url: String) {
        guard let key = access.localKey else { return }
        do {
            try ServerNote(url: url, appID: keys.appID, key: key).write(inDirectory: directory)
        } catch {
            Log.warning("commands on this machine cannot go through this server: \(error)")
        }
    }

    func close() {
        accounts.shut()
        for pool in [
            mapPool, conditionPool, readPool, drawPool, importPool, exportPool, filePool,
            picturePool,
            editor.pool,
        ] {
            pool.shut()
        }
        fitter.stop()
        store.close()
        // The last commit is taken over; the data directory is still this process's own.
        keeper.writeAll()
    }
}

/// `GET /health`.
struct HealthRoutes: Sendable {
    func register(in router: inout Router) {
        router.add(.get, "/health") { request in
            let isDraining = request.isDraining
            var response = Response(
                isDraining ? .serviceUnavailable : .ok, .json,
                JSONWriter.encode(["status": isDraining ? "draining" : "ok"]))
            response.cacheControl = "no-store"
            return .reply(response)
        }
    }
}
