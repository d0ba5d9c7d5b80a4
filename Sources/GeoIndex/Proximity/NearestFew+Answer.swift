extension IndexSnapshot {
    /// The nearest objects by the short way; nil where it does not lead to them.
    ///
    /// - Complexity: O(log n + entries of the few pages that reach as near as the answer).
    @inline(__always)
    func nearestFew<Metric: ProximityMetric, Found>(
        _ metric: Metric, limit: Int, greatest: Double, _ filter: ResolvedFilter?,
        _ found: (NearbyHit, Metric) -> Found
    ) -> [Found]? {
        let point = WorldPoint(metric.centre)
        guard let root = uncountedRoot,
            let home = root.page(reaching: MortonKey(point).bits)
        else { return nil }
        return unsafe withUnsafeTemporaryAllocation(
            of: NearestFew.Proposal.self, capacity: NearestFew.capacity
        ) { room in
            var search = unsafe NearestFew(
                metric.centre, from: home, limit: limit, factor: Metric.haversineFactor,
                filter: filter, room: room)
            guard search.search(root, around: point) else { return nil }
            return unsafe withUnsafeTemporaryAllocation(of: NearbyHit.self, capacity: limit) {
                var hits = unsafe NearestHits(room: $0, ids: ids)
                let origin = HaversineOrigin(
                    metric.centre, cosine: search.cosine, sine: search.sine)
                search.forEachProposal { page, index in
                    let position = RoundedPosition(
                        trustedLonE7: page.lonE7(index), latE7: page.latE7(index))
                    let measure = metric.measure(
                        haversine: origin.haversine(to: position), lonE7: position.lonE7,
                        latE7: position.latE7)
                    if measure > greatest { return }
                    hits.insert(
                        NearbyHit(
                            measure: measure, object: page.object(index),
                            lonE7: position.lonE7, latE7: position.latE7))
                }
                return hits.all { found($0, metric) }
            }
        }
    }
}

/// The nearest of what was measured, in their order.
@safe private struct NearestHits {
    private let hits: UnsafeMutableBufferPointer<NearbyHit>
    private var count = 0
    private let ids: IDTable

    /// - Parameter room: Room for as many as are asked for, one at least.
    init(room: UnsafeMutableBufferPointer<NearbyHit>, ids: IDTable) {
        unsafe hits = room
        self.ids = ids
    }

    @inline(__always)
    mutating func insert(_ hit: NearbyHit) {
        let limit = unsafe hits.count
        if count == limit && !precedes(hit, count &- 1) { return }
        var place = min(count, limit &- 1)
        // Within the room, of which `count` are written.
        while place > 0 && precedes(hit, place &- 1) {
            unsafe hits[place] = hits[place &- 1]
            place &-= 1
        }
        unsafe hits[place] = hit
        count = min(count &+ 1, limit)
    }

    @inline(__always)
    private func precedes(_ hit: NearbyHit, _ place: Int) -> Bool {
        let other = unsafe hits[place]
        return hit.precedes(other, ids)
    }

    /// What is made of each of them, in order.
    @inline(__always)
    func all<Found>(_ found: (NearbyHit) -> Found) -> [Found] {
        unsafe [Found](unsafeUninitializedCapacity: count) { room, written in
            for place in 0..<count {
                unsafe room.initializeElement(at: place, to: found(hits[place]))
            }
            written = count
        }
    }
}
