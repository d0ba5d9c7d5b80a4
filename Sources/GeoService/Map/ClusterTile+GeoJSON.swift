import GeoIndex
import GeoStore
import JSONText
import TileRender

extension ClusterTile {
    /// The features that the tile owns, as a cluster list has them. What lies in the buffer is a
    /// matter of drawing and is its neighbours': so each feature of a zoom is in one tile.
    ///
    /// - Parameter shown: The documents of ``singleIDs``.
    func geoJSON(_ shown: ShownObjects) -> [UInt8] {
        let own = WorldWindow(grid.tile)
        var rest = shown.objects[...]
        var json = JSONWriter()
        FeatureWriter.begin(&json)
        for index in 0..<set.count {
            let object = set.counts[index] == 1 ? rest.popFirst() ?? nil : nil
            guard own.contains(set.points[index]) else { continue }
            if set.counts[index] > 1 {
                FeatureWriter.cluster(
                    id: set.ids[index], at: set.points[index], count: set.counts[index],
                    details[index], aggregates: aggregates.isEmpty ? [] : aggregates[index],
                    to: &json)
            } else if let object {
                FeatureWriter.object(object, of: shown, to: &json)
            }
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
