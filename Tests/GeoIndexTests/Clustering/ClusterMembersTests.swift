import GeoIndex
import TestSupport
import Testing

/// Children, leaves and expansion zooms against the twin's members.
struct ClusterMembersTests {
    @Test(
        "children are the next zoom's clusters, counted with the parent's members only",
        arguments: Shape.allCases, LawInput.radii)
    func children(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        var random = SeededRandom(seed: radius)
        for (zoom, next) in zip(input.zooms, input.zooms.dropFirst()) {
            for cluster in zoom.expected.shuffled(using: &random).prefix(3) {
                let found = try Self.find(cluster, in: input, zoom)
                guard
                    case .clusters(let children) = input.snapshot.children(of: found, limit: 10)
                else {
                    Issue.record("there is a deeper zoom than \(zoom.zoom)")
                    continue
                }
                let members = Set(cluster.members)
                let expected = next.expected.compactMap { child -> ClusterTwin.Cluster? in
                    let share = child.members.filter { members.contains($0) }
                    guard !share.isEmpty else { return nil }
                    var part = child
                    part.count = share.count
                    part.members = share
                    return part
                }
                expectEqual(children, expected, "zoom \(zoom.zoom), cluster \(cluster.id)")
                #expect(children.counts.reduce(0, +) == cluster.count)
                #expect(children.options == next.options)
                for id in children.ids {
                    let (child, options) = try #require(
                        ClusterID.parse(id, radiusPixels: radius))
                    #expect(input.snapshot.cluster(child, options: options) != nil)
                }
            }
        }
    }

    @Test(
        "at the deepest zoom the children are the objects, by id",
        arguments: Shape.allCases, LawInput.radii)
    func deepestChildren(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        let zoom = try #require(input.zooms.last)
        for cluster in zoom.expected.prefix(5) {
            let found = try Self.find(cluster, in: input, zoom)
            guard
                case .objects(let objects, let total) = input.snapshot.children(
                    of: found, limit: 7)
            else {
                Issue.record("there is no deeper zoom than \(zoom.zoom)")
                continue
            }
            #expect(objects.map(\.id) == Array(Self.ids(of: cluster).prefix(7)))
            #expect(total == cluster.count)
        }
    }

    @Test(
        "leaves are the members by id, and pages of them join without gap or repeat",
        arguments: Shape.allCases, LawInput.radii)
    func leaves(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        var random = SeededRandom(seed: radius)
        for zoom in input.zooms {
            for cluster in zoom.expected.shuffled(using: &random).prefix(2) {
                let found = try Self.find(cluster, in: input, zoom)
                let all = input.snapshot.leaves(of: found, limit: .max, offset: 0)
                #expect(all.map(\.id) == Self.ids(of: cluster), "zoom \(zoom.zoom)")
                for leaf in all {
                    #expect(Int(leaf.id).map { input.positions[$0] } == leaf.position)
                }
                let size = Int.random(in: 1...max(1, cluster.count), using: &random)
                var paged: [String] = []
                while paged.count < cluster.count {
                    let page = input.snapshot.leaves(
                        of: found, limit: size, offset: paged.count)
                    #expect(page.count == min(size, cluster.count - paged.count))
                    guard !page.isEmpty else { break }
                    paged += page.map(\.id)
                }
                #expect(paged == all.map(\.id))
                #expect(
                    input.snapshot.leaves(of: found, limit: 9, offset: cluster.count).isEmpty)
            }
        }
    }

    @Test(
        "the expansion zoom is the first at which the twin has the members in two clusters",
        arguments: Shape.allCases, LawInput.radii)
    func expansionZoom(shape: Shape, radius: Int) throws {
        let input = try LawInput.of(shape, radius: radius)
        var random = SeededRandom(seed: radius)
        for zoom in input.zooms {
            for cluster in zoom.expected.shuffled(using: &random).prefix(2) {
                let members = Set(cluster.members)
                let expected = input.zooms.first { next in
                    next.zoom > zoom.zoom
                        && next.expected.count { !members.isDisjoint(with: $0.members) } > 1
                }
                let found = try Self.find(cluster, in: input, zoom)
                #expect(
                    input.snapshot.expansionZoom(of: found) == expected?.options.zoom,
                    "zoom \(zoom.zoom), cluster \(cluster.id)")
            }
        }
    }

    @Test("objects on one spot never expand")
    func oneSpot() throws {
        let spot = RoundedPosition(lonE7: 1_799_999_999, latE7: -123_456_789)
        let snapshot = try index(of: Array(repeating: spot, count: 40))
        for zoom in 0...22 {
            let options = try ClusterOptions(zoom: zoom)
            let found = snapshot.clusters(in: .world, options: options)
            #expect(found.counts == [40])
            #expect(found.points == [WorldPoint(spot)])
            #expect(snapshot.expansionZoom(of: found) == nil)
        }
    }

    /// A cluster of the twin as the index gives it by its id.
    static func find(
        _ cluster: ClusterTwin.Cluster, in input: LawInput, _ zoom: LawInput.Zoom,
        filter: EntryFilter = .all
    ) throws -> ClusterSet {
        let (id, options) = try #require(
            ClusterID.parse(cluster.id, radiusPixels: input.radius))
        #expect(options == zoom.options)
        return try #require(input.snapshot.cluster(id, options: options, filter: filter))
    }

    /// The ids of a cluster's members in the order of their bytes.
    static func ids(of cluster: ClusterTwin.Cluster) -> [String] {
        cluster.members.map(String.init).sorted()
    }
}
