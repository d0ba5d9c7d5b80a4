import GeoIndex

extension Bench {
    /// `index.leaves`: ten members of the world's largest cluster, from the 100,000th on in the
    /// order of ids.
    func leaves(_ snapshot: IndexSnapshot) throws {
        guard wants("index.leaves") else { return }
        let options = try ClusterOptions(zoom: 0)
        let world = snapshot.clusters(in: .world, options: options)
        guard let largest = world.counts.indices.max(by: { world.counts[$0] < world.counts[$1] }),
            let id = ClusterID.parse(world.ids[largest], radiusPixels: options.radiusPixels)?.id,
            let cluster = snapshot.cluster(id, options: options)
        else { throw CheckFailure(description: "the world has no clusters") }
        let total = world.counts[largest]
        let offset = min(100_000, total / 2)
        let all = snapshot.leaves(of: cluster, limit: total, offset: 0)
        try check(
            all.count == total
                && zip(all, all.dropFirst()).allSatisfy {
                    $0.id.utf8.lexicographicallyPrecedes($1.id.utf8)
                },
            "\(all.count) of \(total) leaves, or not in the order of their ids")
        let page = snapshot.leaves(of: cluster, limit: 10, offset: offset)
        try check(
            page.map(\.id) == all[offset..<(offset + 10)].map(\.id), "a page of the leaves")
        try ask(
            "index.leaves", count: 20, checked: "the page is the one of all leaves in order",
            note: "offset \(offset) of \(total)"
        ) { number in
            // Each time another page.
            snapshot.leaves(of: cluster, limit: 10, offset: offset - number)
        } sum: {
            Double($0.count)
        }
    }
}
