import Foundation
import GeoService
import TestSupport

@testable import TileRender

/// The world map and the styles that the project carries, read once for all tests.
enum CarriedMap {
    /// The world map file's bytes.
    static let file = Result { try bytes("fixtures/world/world.geo") }

    /// What the file says.
    static let map = Result { try WorldMapReader.read(try file.get()) }

    /// The styles.
    static let styles = Result { try BasemapStyleFile(try bytes("styles/basemap.json")).styles }

    /// What the styles say of names.
    static let names = Result { try styles.get()[0].names }

    /// The map, names placed.
    static let basemap = Result { try Basemap(map: try map.get(), styles: try styles.get()) }

    private static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](
            try Data(contentsOf: Golden.fixtures.deletingLastPathComponent().appending(path: path)))
    }
}
