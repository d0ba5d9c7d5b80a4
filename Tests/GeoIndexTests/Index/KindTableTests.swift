import GeoIndex
import Testing

struct KindTableTests {
    @Test("kinds that are gone make room for new ones")
    func kindsComeAndGo() throws {
        let layer = LayerIndex()
        guard let place = try? LonLat(lon: 1, lat: 2) else { return }
        func edits(_ round: Int) -> [ObjectEdit] {
            (0..<1_000).map { number in
                ObjectEdit(
                    id: "\(number)",
                    placement: Placement(
                        position: RoundedPosition(place), kind: "kind-\(round)-\(number)"))
            }
        }
        // Far more kinds over time than a layer tells apart at once.
        for round in 0..<12 { try layer.apply(edits(round)) }
        let counts = layer.current.kindCounts
        #expect(counts.count == 1_000)
        #expect(counts.allSatisfy { $0.kind.hasPrefix("kind-11-") && $0.count == 1 })
        var fresh = BulkBuilder()
        for edit in edits(11) {
            if let placement = edit.placement { try fresh.add(id: edit.id, placement) }
        }
        let snapshot = fresh.build()
        #expect(
            snapshot.sum(over: [0...UInt64.max]) == layer.current.sum(over: [0...UInt64.max]))
    }
}
