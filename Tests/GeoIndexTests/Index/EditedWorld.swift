import GeoIndex
import TestSupport
import Testing

/// Objects in a plain dictionary, with batches of random edits of all sorts.
struct EditedWorld {
    private(set) var objects: [String: Placement] = [:]
    let positions: [RoundedPosition]
    /// Ids that were given out, those of deleted objects too.
    private var ids: [String] = []
    private var isFilling = true
    /// Whether objects expire, have owners and values of two fields.
    private let hasExtras: Bool
    /// What expiries lie around, in milliseconds since 1970.
    var now: Int64 = 0

    init(shape: Shape, seed: Int, hasExtras: Bool = false) {
        self.hasExtras = hasExtras
        positions =
            shape.positions(count: 2000, seed: seed)
            + Shape.duplicates.positions(
                count: 50, seed: seed)
    }

    /// The next edits, carried out on ``objects`` too.
    mutating func batch(of size: Int, using random: inout SeededRandom) -> [ObjectEdit] {
        (0..<size).map { _ in
            let edit = self.edit(using: &random)
            objects[edit.id] = edit.placement
            return edit
        }
    }

    private mutating func edit(using random: inout SeededRandom) -> ObjectEdit {
        guard let id = ids.randomElement(using: &random), !isGrowing(&random) else {
            let id = newID(using: &random)
            ids.append(id)
            return ObjectEdit(id: id, placement: placement(using: &random))
        }
        guard var placement = objects[id] else {
            // One that is gone: it comes back, or is deleted once more.
            return ObjectEdit(
                id: id,
                placement: Bool.random(using: &random) ? self.placement(using: &random) : nil)
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: return ObjectEdit(id: id, placement: nil)
        case 2, 3:
            placement.position = positions.randomElement(using: &random) ?? placement.position
        case 4: placement.kind = kind(using: &random)
        case 5: placement.weight = .random(in: 0...100, using: &random)
        case 6: placement.time = .random(in: -5000...5000, using: &random)
        default: placement.content = random.next()
        }
        return ObjectEdit(id: id, placement: placement)
    }

    /// Grows to 3,500 objects and shrinks to 300, again and again, so that pages split and join.
    private mutating func isGrowing(_ random: inout SeededRandom) -> Bool {
        if objects.count > 3500 { isFilling = false }
        if objects.count < 300 { isFilling = true }
        return Int.random(in: 0..<100, using: &random) < (isFilling ? 70 : 3)
    }

    private func newID(using random: inout SeededRandom) -> String {
        let symbols = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
        // Every third id is too long to be packed.
        let length =
            ids.count % 3 == 0
            ? Int.random(in: 11...64, using: &random) : Int.random(in: 4...10, using: &random)
        return String((0..<length).compactMap { _ in symbols.randomElement(using: &random) })
    }

    private func placement(using random: inout SeededRandom) -> Placement {
        var placement = Placement(
            position: positions.randomElement(using: &random) ?? positions[0],
            kind: kind(using: &random), weight: .random(in: 0...100, using: &random),
            time: .random(in: -5000...5000, using: &random), content: random.next())
        guard hasExtras else { return placement }
        if Int.random(in: 0..<3, using: &random) > 0 {
            placement.expires = now + Int64.random(in: -5...300, using: &random)
        }
        placement.owner = UInt64.random(in: 0...3, using: &random)
        let values: [Int64?] = [nil, .max, .min + 1, 0, 17, -250_000]
        placement.values = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            values.randomElement(using: &random) ?? nil
        }
        return placement
    }

    /// The objects that have not expired.
    var living: [String: Placement] {
        objects.filter { $0.value.expires.map { $0 > now } ?? true }
    }

    /// Forgets what has expired.
    mutating func forgetExpired() { objects = living }

    private func kind(using random: inout SeededRandom) -> String? {
        let number = Int.random(in: 0..<100, using: &random)
        return number < 10 ? nil : "kind\(number)"
    }
}

/// Checks that two indices answer everything alike.
func expectSameAnswers(
    _ live: IndexSnapshot, _ fresh: IndexSnapshot, probes: [RoundedPosition], seed: Int,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    var random = SeededRandom(seed: seed)
    func same<Value: Equatable>(_ name: String, _ answer: (IndexSnapshot) -> Value) {
        let isSame = answer(live) == answer(fresh)
        #expect(isSame, "\(name)", sourceLocation: sourceLocation)
    }
    let filters = [EntryFilter.all, EntryFilter(kinds: ["kind20", "kind84"], since: -4000)]
    same("count") { $0.count }
    same("extent") { $0.extent }
    same("time range") { $0.timeRange }
    same("kinds") { $0.kindCounts.map { "\($0.kind) \($0.count)" } }
    for filter in filters {
        same("sum") { $0.sum(over: [0...UInt64.max], filter: filter) }
        same("objects") {
            $0.objects(in: .box(.world), limit: 1_000_000, filter: filter).map {
                "\($0.id) \($0.position)"
            }
        }
        for zoom in [0, 3, 7, 10, 13, 17, 22] {
            let options = try ClusterOptions(zoom: zoom)
            let window = WorldWindow.random(
                around: WorldPoint(probes.randomElement(using: &random) ?? probes[0]), zoom: zoom,
                using: &random)
            for window in [window, zoom % 2 == 0 ? window : .world] {
                same("clusters at zoom \(zoom)") { snapshot in
                    let set = snapshot.clusters(in: window, options: options, filter: filter)
                    return zip(set.ids, zip(set.counts, set.points)).map { "\($0)" }
                }
            }
            same("sum at zoom \(zoom)") { $0.sum(in: window, level: options.level, filter: filter) }
        }
        for _ in 0..<5 {
            let centre = probes.randomElement(using: &random) ?? probes[0]
            same("nearest") { snapshot in
                snapshot.nearest(to: centre, limit: 40, filter: filter).map {
                    "\($0.id) \($0.position) \($0.distance)"
                }
            }
            same("circle") {
                $0.count(
                    in: .circle(centre: centre, radius: .kilometers(3)), filter: filter)
            }
        }
    }
}
