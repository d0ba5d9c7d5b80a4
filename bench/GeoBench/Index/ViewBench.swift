import GeoIndex

extension Bench {
    /// The map of one viewer beside everybody's: `index.view-public-…` is the layer itself;
    /// `index.view-private-…` a viewer who has 1,000 objects of his own, `index.view-roles-…` one
    /// who may read 500 sets of two objects each. Each is asked for clusters of views (`clusters`),
    /// the nearest (`nearest`) and the objects in 500 m (`radius`). `…-make` is the time to make the
    /// view of a viewer who was not seen before, and `…-first` that of the first look at each place.
    /// After a write of somebody else `…-write` is the time to bring the view up to date and
    /// `…-write-clusters` that to the clusters of a place that was looked at before;
    /// `…-own-write-clusters` is the same after the viewer moves an object of his own.
    func views(_ snapshot: IndexSnapshot) throws {
        let sets = [("private", 1_000, 1), ("roles", 500, 2)]
        let all = (["public"] + sets.map(\.0)).flatMap { name in
            [
                "clusters", "nearest", "radius", "make", "first", "second", "write", "own-write",
                "memory",
            ].map {
                "index.view-\(name)-\($0)"
            }
        }
        guard all.contains(where: wants) else { return }
        let layer = LayerIndex(snapshot)
        layer.prepareForChanges()
        try layer.current.prepareClusters(zooms: 0...16)
        try ask(of: layer.current, "index.view-public", expected: input.count)
        try publicWrites(layer)
        for (name, count, size) in sets {
            let own = ownObjects(count * size, together: size)
            var samples = Samples()
            var view = ViewIndex(over: layer, layer.current, own: [])
            for _ in 0..<20 {
                view = samples.time { ViewIndex(over: layer, layer.current, own: own) }
            }
            try report("index.view-\(name)-make", samples, "counted")
            try ask(of: view.snapshot, "index.view-\(name)", expected: input.count + own.count)
            if wants("index.view-\(name)-memory") {
                self.report.add(
                    Record(
                        name: input.benchmark("index.view-\(name)-memory"), unit: "B",
                        statistics: Statistics(
                            wall: Spread([Double(view.bytes)]),
                            processor: Spread([Double(view.bytes)])), calls: 1, runs: 1,
                        check: "none: an estimate",
                        note: "\(view.snapshot.rememberedClusterBytes) of them clusters"))
            }
            try writes("index.view-\(name)", layer, &view, own)
        }
    }

    /// Objects beside random ones of the input, some of them on end at one place.
    private func ownObjects(_ count: Int, together: Int) -> [ViewObject] {
        (0..<count).compactMap { number in
            let group = number / together
            let near = input.placements[(group * 7_919 + 13) % input.count]
            guard let key = ObjectKey(packing: "_own\(number)") else { return nil }
            var placement = near
            placement.content = UInt64(number)
            return ViewObject(key: key, placement: placement)
        }
    }

    private func ask(of snapshot: IndexSnapshot, _ name: String, expected: Int) throws {
        try check(snapshot.count == expected, "\(name) has \(snapshot.count) objects")
        let world = snapshot.clusters(in: .world, options: try ClusterOptions(zoom: 3))
        try check(world.counts.reduce(0, +) == expected, "\(name)'s clusters miss some")
        let options = try input.views.map { try ClusterOptions(zoom: $0.zoom) }
        // Views are asked twice before: the second time leaves what is worth it remembered.
        for look in ["first", "second"] {
            var samples = Samples()
            for (view, options) in zip(input.views, options) {
                _ = samples.time { snapshot.clusters(in: view.window, options: options) }
            }
            try report("\(name)-\(look)", samples, "as \(name)-clusters")
        }
        try ask("\(name)-clusters", count: options.count, checked: "all objects are in one") {
            snapshot.clusters(in: input.views[$0].window, options: options[$0])
        } sum: {
            Double($0.count)
        }
        try ask("\(name)-nearest", count: input.centres.count, checked: "see index.nearest") {
            snapshot.nearest(to: input.centres[$0], limit: 10)
        } sum: {
            $0.last?.distance.meters ?? 0
        }
        try ask("\(name)-radius", count: input.circles.count, checked: "see index.radius") {
            snapshot.count(in: .circle(centre: input.circles[$0], radius: BenchInput.radius))
        } sum: {
            Double($0)
        }
    }

    private func writes(
        _ name: String, _ layer: LayerIndex, _ view: inout ViewIndex, _ own: [ViewObject]
    ) throws {
        var samples = Samples()
        var answers = Samples()
        for number in 0..<BenchWrites.count {
            try layer.apply([write(number)])
            let isDone = samples.time { view.advance(to: layer.current, own: []) }
            try check(isDone, "the view fell behind by one write")
            try look(number, at: view.snapshot, &answers)
        }
        try check(
            view.snapshot.count == layer.current.count + own.count, "the view misses writes")
        try layer.apply((0..<BenchWrites.count).map { ObjectEdit(id: "_new\($0)", placement: nil) })
        try report("\(name)-write", samples, "counted")
        try report("\(name)-write-clusters", answers, "as \(name)-clusters")
        try ownWrites(name, layer, &view, own)
    }

    /// The viewer moves objects of his own, one after the other.
    private func ownWrites(
        _ name: String, _ layer: LayerIndex, _ view: inout ViewIndex, _ own: [ViewObject]
    ) throws {
        var samples = Samples()
        var answers = Samples()
        for number in 0..<BenchWrites.count {
            var object = own[number % own.count]
            object.placement?.position = write(number).placement?.position ?? input.centres[0]
            let isDone = samples.time { view.advance(to: layer.current, own: [object]) }
            try check(isDone, "the view fell behind by one write of its own")
            try look(number, at: view.snapshot, &answers)
        }
        try check(
            view.snapshot.count == layer.current.count + own.count, "the view lost its own")
        try report("\(name)-own-write", samples, "counted")
        try report("\(name)-own-write-clusters", answers, "as \(name)-clusters")
    }

    private func publicWrites(_ layer: LayerIndex) throws {
        var answers = Samples()
        for number in 0..<BenchWrites.count {
            try layer.apply([write(number)])
            try look(number, at: layer.current, &answers)
        }
        try layer.apply((0..<BenchWrites.count).map { ObjectEdit(id: "_new\($0)", placement: nil) })
        try report("index.view-public-write-clusters", answers, "as index.view-public-clusters")
    }

    /// A new object beside a random one.
    private func write(_ number: Int) -> ObjectEdit {
        ObjectEdit(
            id: "_new\(number)", placement: input.placements[(number * 104_729) % input.count])
    }

    private func look(
        _ number: Int, at snapshot: IndexSnapshot, _ samples: inout Samples
    ) throws {
        let view = input.views[number * 7 % input.views.count]
        let options = try ClusterOptions(zoom: view.zoom)
        _ = samples.time { snapshot.clusters(in: view.window, options: options) }
    }

    private func report(_ name: String, _ samples: Samples, _ checked: String) throws {
        guard wants(name) else { return }
        self.report.add(
            Record(
                name: input.benchmark(name), statistics: samples.statistics,
                calls: samples.wall.count, runs: 1, check: checked))
    }
}

/// Writes between two looks at the map.
private enum BenchWrites {
    static let count = 500
}
