package import GeoIndex
package import GeoStore
import JSONText
import TileRender

/// Makes the vector tiles of one layer (docs/tiles.md). Holds no state: any number of threads may
/// use one.
///
///     let painter = VectorTilePainter(layer)
///     let bytes = try painter.tile(tile, from: snapshot) { ids in try objects.shown(…, ids: ids) }
package struct VectorTilePainter: Sendable {
    /// The layer's name: that of the layer in each tile.
    let layer: String
    let fields: LayerFields
    /// The radius of clusters unless another is asked for, in pixels of the 256 px tile grid.
    let radiusPixels: Int

    /// The painter of a layer as it is set up.
    init(_ layer: Layer) {
        self.layer = layer.name
        fields = layer.settings.fields
        radiusPixels = layer.settings.defaultClusterRadiusPixels
    }

    /// The painter of a layer that nobody has set up.
    package init(layer: String) {
        self.layer = layer
        fields = LayerFields()
        radiusPixels = ClusterOptions.defaultRadiusPixels
    }

    /// One tile; nil when it is empty.
    ///
    /// - Parameters:
    ///   - snapshot: The state of the layer that is shown. Take one for all tiles of an archive.
    ///   - objects: Gives the documents of some ids in their order, without
    ///     ``FeatureWriter/ownNames``; called at most once, from the caller's thread. One that has
    ///     gone leaves a feature with nothing but its id. Nil reads none.
    /// - Throws: what `objects` throws.
    /// - Complexity: that of ``gather(_:from:filter:)``, and O(bytes).
    package func tile(
        _ tile: TileID, from snapshot: IndexSnapshot, filter: EntryFilter = .all,
        objects: (([String]) throws -> ShownObjects)? = nil
    ) throws -> [UInt8]? {
        let content = gather(tile, from: snapshot, filter: filter)
        guard let objects, !content.singles.isEmpty else {
            return encodeWithoutDocuments(content)
        }
        return encode(content, try objects(content.singleIDs))
    }

    /// The clusters of a tile, as ``tile(_:from:filter:objects:)`` asks for them: for who reads the
    /// documents of many tiles at once.
    package func gather(
        _ tile: TileID, from snapshot: IndexSnapshot, filter: EntryFilter = .all
    ) -> ClusterTile {
        let options = ClusterOptions.possible(zoom: tile.zoom, radiusPixels: radiusPixels)
        return ClusterTile(tile, options, of: fields, from: snapshot, filter: filter)
    }

    /// The bytes of a tile in which singles have nothing but their ids; nil when it is empty.
    package func encodeWithoutDocuments(_ content: ClusterTile) -> [UInt8]? {
        encode(content, ShownObjects(count: content.singles.count))
    }

    /// The bytes of a tile (Vector Tile Specification 2.1); nil when it is empty.
    ///
    /// - Parameter shown: The documents of ``ClusterTile/singleIDs``.
    package func encode(_ content: ClusterTile, _ shown: ShownObjects) -> [UInt8]? {
        var features = VectorFeatures(layer: layer)
        var rest = shown.objects[...]
        let set = content.set
        for index in 0..<set.count {
            let isSingle = set.counts[index] == 1
            let object = isSingle ? rest.popFirst() ?? nil : nil
            content.grid.forEachPlace(of: set.points[index]) { x, y in
                if isSingle {
                    features.addSingle(
                        content.details[index].sample.id, object, of: shown, x: x, y: y)
                } else {
                    features.addCluster(
                        set.ids[index], count: set.counts[index], content.details[index],
                        content.aggregates.isEmpty ? [] : content.aggregates[index], x: x, y: y)
                }
            }
        }
        let bytes = features.tile()
        return bytes.isEmpty ? nil : bytes
    }
}

extension ClusterOptions {
    /// Clusters of a radius, and at the deepest zooms, where small radii have no cells any more, of
    /// the least radius that has.
    static func possible(zoom: UInt8, radiusPixels: Int) -> ClusterOptions {
        for radius in radiusPixels...radiusRange.upperBound {
            if let options = try? ClusterOptions(zoom: Int(zoom), radiusPixels: radius) {
                return options
            }
        }
        preconditionFailure("the greatest radius works at every zoom of a tile")
    }
}
