import GeoIndex

extension Bench {
    /// `index.clusters`: clusters of views at radius 40, and `index.clusters20` at radius 20, which
    /// is the radius 40 of peers whose tiles are 512 wide.
    func clusters(_ snapshot: IndexSnapshot) throws {
        for (operation, radius) in [("index.clusters", 40), ("index.clusters20", 20)] {
            guard wants(operation) else { continue }
            let options = try input.views.map {
                try ClusterOptions(zoom: $0.zoom, radiusPixels: radius)
            }
            let sample = sample(8, of: input.views.count)
            for index in sample {
                try check(snapshot, input.views[index].window, options[index])
            }
            let found = input.views.indices.map {
                snapshot.clusters(in: input.views[$0].window, options: options[$0]).count
            }
            try ask(
                operation, count: input.views.count,
                checked: "\(sample.count) views against the definition over all objects",
                note: "\(found.reduce(0, +) / max(1, found.count)) results a view"
            ) {
                snapshot.clusters(in: input.views[$0].window, options: options[$0])
            } sum: {
                Double($0.count)
            }
        }
    }

    private func check(
        _ snapshot: IndexSnapshot, _ window: WorldWindow, _ options: ClusterOptions
    ) throws {
        let found = snapshot.clusters(in: window, options: options)
        let twin = ClusterTwin(options)
        let expected = twin.clusters(of: input, in: window)
        try GeoBench.check(
            found.count == expected.count,
            "\(found.count) clusters at zoom \(options.zoom), not \(expected.count)")
        for index in 0..<found.count {
            let cluster = expected[found.ids[index]]
            try GeoBench.check(
                cluster?.point == found.points[index] && cluster?.count == found.counts[index],
                "cluster \(found.ids[index]) at zoom \(options.zoom)")
        }
        let world = snapshot.clusters(in: .world, options: try ClusterOptions(zoom: 2))
        try GeoBench.check(
            world.counts.reduce(0, +) == input.count, "the counts of the world's clusters")
    }
}
