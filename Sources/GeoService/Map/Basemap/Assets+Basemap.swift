package import TileRender

extension Assets {
    /// The world map's file.
    ///
    /// - Throws: ``SettingError`` when it has gone or cannot be read.
    func worldMapFile() throws(SettingError) -> [UInt8] {
        guard let file = try SmallFile.read(worldMap, limitBytes: 64 << 20) else {
            throw SettingError("world.geo", "has gone")
        }
        return file
    }

    /// The styles of the map.
    ///
    /// - Throws: ``SettingError`` naming line and member of what is wrong.
    package func basemapStyleFile() throws(SettingError) -> BasemapStyleFile {
        let limit = BasemapStyleFile.limitBytes
        guard let file = try SmallFile.read(basemapStyle, limitBytes: limit) else {
            throw SettingError(BasemapStyleFile.name, "has gone")
        }
        return try BasemapStyleFile(file)
    }

    /// The map as the service draws it.
    ///
    /// - Throws: ``SettingError``, ``BasemapError``.
    package func basemap() throws -> Basemap {
        try Basemap(file: try worldMapFile(), styles: try basemapStyleFile().styles)
    }
}
