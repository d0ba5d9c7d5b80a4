import GeoIndex
import TestSupport

/// Objects to build an index of, and questions to ask about them.
struct BenchInput {
    /// A part of a map that is looked at.
    struct View {
        var zoom: Int
        var window: WorldWindow
    }

    /// What the benchmarks' names call it: `city` or `peers`.
    var name: String
    /// Its size as the names have it: `1M`.
    var size: String
    /// Ids by index: the number from 1 on, in decimal.
    var ids: [String]
    /// The objects.
    var placements: [Placement]
    /// Places to find the nearest objects of.
    var centres: [RoundedPosition] = []
    /// Middles of circles of ``radius``.
    var circles: [RoundedPosition] = []
    /// What clusters are asked for.
    var views: [View] = []
    /// Raster tiles.
    var tiles: [TileID] = []

    /// The circles' radius.
    static let radius = Distance.meters(500)

    /// The number of objects.
    var count: Int { placements.count }

    /// Takes objects, numbered from 1 on.
    init(name: String, size: String, placements: [Placement]) {
        self.name = name
        self.size = size
        self.placements = placements
        ids = placements.indices.map { String($0 + 1) }
    }

    /// The name of a benchmark on this input.
    func benchmark(_ operation: String) -> String { "\(operation).\(name).\(size)" }

    /// All objects side by side, as an index is built from fastest.
    func columns(_ ids: IDTable) throws -> ObjectColumns {
        var columns = ObjectColumns()
        columns.objects = try self.ids.map { try ids.key(for: $0) }
        columns.lonE7 = placements.map(\.position.lonE7)
        columns.latE7 = placements.map(\.position.latE7)
        columns.kindNames = [""]
        var numbers = ["": UInt16(0)]
        for placement in placements {
            let name = placement.kind ?? ""
            if numbers[name] == nil {
                numbers[name] = UInt16(columns.kindNames.count)
                columns.kindNames.append(name)
            }
            columns.kinds.append(numbers[name] ?? 0)
        }
        columns.weights = placements.map { Weight.units(of: $0.weight) }
        columns.times = placements.map(\.time)
        columns.contents = placements.map(\.content)
        return columns
    }

    /// The whole index.
    func index() throws -> IndexSnapshot {
        var builder = BulkBuilder(expected: count)
        for index in placements.indices { try builder.add(id: ids[index], placements[index]) }
        return builder.build()
    }
}
