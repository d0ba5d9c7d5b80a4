import Foundation
import TestSupport

@testable import TileRender

/// The world map that the project carries, read once for all tests.
enum CarriedMap {
    /// The file's bytes.
    static let file = Result {
        [UInt8](
            try Data(
                contentsOf: Golden.fixtures.appending(path: "world").appending(path: "world.geo"))
        )
    }

    /// What the file says.
    static let map = Result { try WorldMapReader.read(try file.get()) }

    /// The map, names placed.
    static let basemap = Result { try Basemap(map: try map.get(), style: .light) }
}
