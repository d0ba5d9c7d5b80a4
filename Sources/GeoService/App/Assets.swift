import Glibc

/// Where the page, the world map, its styles, the looks of kinds and the map library stand.
package struct Assets: Sendable {
    /// The folder of the page.
    let web: String
    /// The world map's file.
    let worldMap: String
    /// The file of the map's styles.
    let basemapStyle: String
    /// The file of the looks of kinds.
    let marks: String
    /// The folder of Leaflet.
    let leaflet: String

    private static let leafletFolders = ["/usr/share/javascript/leaflet"]

    /// Finds the assets: in `root` when it is given, else in `../share/geoservice` beside the
    /// binary, else in the checkout that the binary was built in.
    ///
    /// - Throws: ``SettingError`` naming what is missing.
    package init(root: String?) throws(SettingError) {
        let found = try Assets.folder(root: root)
        web = found + "/web"
        let maps = [found + "/world.geo", found + "/fixtures/world/world.geo"]
        guard let map = maps.first(where: Assets.exists) else {
            throw SettingError(
                "world.geo", "was not found beside web/: name its folder with --assets")
        }
        worldMap = map
        basemapStyle = found + "/" + BasemapStyleFile.name
        guard Assets.exists(basemapStyle) else {
            throw SettingError(
                BasemapStyleFile.name, "was not found beside web/: name its folder with --assets")
        }
        marks = try Assets.marks(in: found)
        guard
            let leaflet = Assets.leafletFolders.first(where: { Assets.exists($0 + "/leaflet.js") })
        else {
            throw SettingError("leaflet.js", "was not found: install the package libjs-leaflet")
        }
        self.leaflet = leaflet
    }

    /// The file of the looks of kinds, for a program that needs no page.
    ///
    /// - Throws: ``SettingError`` naming what is missing.
    static func marks(root: String?) throws(SettingError) -> String {
        try marks(in: folder(root: root))
    }

    private static func marks(in folder: String) throws(SettingError) -> String {
        let path = folder + "/" + MarkFile.name
        guard exists(path) else {
            throw SettingError(
                MarkFile.name, "was not found beside web/: name its folder with --assets")
        }
        return path
    }

    private static func folder(root: String?) throws(SettingError) -> String {
        let candidates = root.map { [$0] } ?? defaultRoots()
        guard let found = candidates.first(where: { exists($0 + "/web/index.html") }) else {
            throw SettingError(
                "web/index.html", "was not found: name the folder that holds it with --assets")
        }
        return found
    }

    private static func defaultRoots() -> [String] {
        guard let binary = unsafe realpath("/proc/self/exe", nil) else { return [] }
        defer { unsafe free(binary) }
        var folder = unsafe String(cString: binary)
        func up() { folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]) }
        up()
        var roots = [folder + "/../share/geoservice"]
        // A build stands a few folders below its checkout.
        for _ in 0..<6 where !folder.isEmpty {
            up()
            roots.append(folder)
        }
        return roots
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }
}
