/// A box: whole units decide.
struct BoxProbe: AreaProbe {
    let box: PositionBox
    private let keys: ClosedRange<UInt64>

    init(_ box: PositionBox) {
        self.box = box
        keys = box.keys
    }

    func relation(to summary: NodeSummary) -> AreaRelation {
        guard box.meets(summary) else { return .outside }
        return box.holds(summary) ? .inside : .cut
    }

    func select(_ page: LeafPage, into selection: inout PageSelection) {
        let latE7 = page.latE7
        for index in page.indices(in: keys)
        where box.contains(lonE7: page.lonE7(index), latE7: latE7[index]) {
            selection.append(index)
        }
    }
}

/// A circle on the sphere: a plane proposes where it is small, the haversine decides.
struct CircleProbe: AreaProbe {
    let cap: GeoCap
    private let plane: LocalPlane?

    init(centre: RoundedPosition, radius: Distance) {
        cap = GeoCap(centre: centre, radius: radius)
        plane = cap.plane
    }

    func relation(to summary: NodeSummary) -> AreaRelation {
        if let plane { return plane.relation(to: summary) }
        guard cap.outer.meets(summary) else { return .outside }
        return cap.relation(to: summary)
    }

    func select(_ page: LeafPage, into selection: inout PageSelection) {
        if let plane { return select(page, plane, into: &selection) }
        let latE7 = page.latE7
        for index in page.indices(in: cap.keys)
        where cap.contains(lonE7: page.lonE7(index), latE7: latE7[index]) {
            selection.append(index)
        }
    }

    private func select(
        _ page: LeafPage, _ plane: LocalPlane, into selection: inout PageSelection
    ) {
        var index = 0
        while index &+ 8 <= page.count {
            let haversines = plane.haversines(page, at: index)
            let maybe = haversines .<= plane.greatest
            if any(maybe) {
                if all(maybe .== (haversines .<= plane.least)) {
                    selection.append(index, maybe)
                } else {
                    for lane in 0..<8 where maybe[lane] {
                        decide(page, index &+ lane, haversines[lane], plane, &selection)
                    }
                }
            }
            index &+= 8
        }
        while index < page.count {
            let haversine = plane.haversine(page.xs[index], page.latE7[index])
            if haversine <= plane.greatest { decide(page, index, haversine, plane, &selection) }
            index &+= 1
        }
    }

    @inline(__always)
    private func decide(
        _ page: LeafPage, _ index: Int, _ haversine: Float, _ plane: LocalPlane,
        _ selection: inout PageSelection
    ) {
        if haversine <= plane.least
            || cap.contains(lonE7: page.lonE7(index), latE7: page.latE7[index])
        {
            selection.append(index)
        }
    }
}

/// A circle on the ellipsoid: two circles on the sphere, of which the greater holds it and the
/// smaller lies in it, leave a ring of one per cent open, where the geodesic decides.
struct GeodesicProbe: AreaProbe {
    /// More than the distance of any two places: half a meridian is 20 003 931.46 m.
    private static let greatestMeters = 20_003_932.0
    /// More than the rounding of either distance.
    private static let marginMeters = 1e-6

    private let radius: Distance
    private let outer: GeoCap
    private let inner: GeoCap

    init(centre: RoundedPosition, radius: Distance) {
        self.radius = radius
        let most = radius.meters / EllipsoidalGeodesy.leastRatio + GeodesicProbe.marginMeters
        let least = radius.meters / EllipsoidalGeodesy.greatestRatio - GeodesicProbe.marginMeters
        let holdsAll = radius.meters >= GeodesicProbe.greatestMeters
        outer = GeoCap(centre: centre, radius: .meters(holdsAll ? .infinity : most))
        inner = GeoCap(centre: centre, radius: .meters(holdsAll ? .infinity : max(0, least)))
    }

    func relation(to summary: NodeSummary) -> AreaRelation {
        guard outer.outer.meets(summary), outer.relation(to: summary) != .outside else {
            return .outside
        }
        return inner.relation(to: summary) == .inside ? .inside : .cut
    }

    func select(_ page: LeafPage, into selection: inout PageSelection) {
        let latE7 = page.latE7
        for index in page.indices(in: outer.keys) {
            let place = RoundedPosition(trustedLonE7: page.lonE7(index), latE7: latE7[index])
            guard outer.outer.contains(lonE7: place.lonE7, latE7: place.latE7) else { continue }
            let haversine = outer.haversine(to: place)
            if haversine > outer.haversine { continue }
            // The lesser ratio is above 1: a radius that holds not all has an inner circle that
            // holds not all of the sphere.
            if haversine <= inner.haversine
                || EllipsoidalGeodesy.distance(from: outer.centre, to: place) <= radius
            {
                selection.append(index)
            }
        }
    }
}

/// Polygons with holes: GEOS decides.
struct RegionProbe: AreaProbe {
    /// Entries whose common box is tried before each of them is.
    private static let blockSize = 32

    private let region: GEOSRegion
    private let box: PositionBox
    private let keys: ClosedRange<UInt64>
    private let deadline: SearchDeadline?

    /// nil without memory.
    init?(_ region: Region) {
        guard let prepared = GEOSRegion(region) else { return nil }
        self.region = prepared
        box = region.box
        keys = box.keys
        deadline = region.deadline
    }

    func relation(to summary: NodeSummary) -> AreaRelation {
        guard box.meets(summary), deadline?.holds() ?? true else { return .outside }
        return region.relation(
            west: summary.west, south: summary.south, east: summary.east, north: summary.north)
    }

    /// Entries come in the order of the Z-curve, so that a few in a row lie close together.
    func select(_ page: LeafPage, into selection: inout PageSelection) {
        let latE7 = page.latE7
        let range = page.indices(in: keys)
        var start = range.lowerBound
        while start < range.upperBound {
            let block = start..<min(range.upperBound, start + RegionProbe.blockSize)
            start = block.upperBound
            switch relation(of: block, page) {
            case .outside: break
            case .inside: for index in block { selection.append(index) }
            case .cut:
                for index in block
                where region.contains(lonE7: page.lonE7(index), latE7: latE7[index]) {
                    selection.append(index)
                }
            }
        }
    }

    private func relation(
        of block: Range<Int>, _ page: LeafPage
    ) -> AreaRelation {
        let latE7 = page.latE7
        var bounds = NodeSummary()
        for index in block {
            let lon = ColumnLongitude.lonE7(ofColumn: page.xs[index])
            bounds.west = min(bounds.west, lon)
            bounds.east = max(bounds.east, lon)
            bounds.south = min(bounds.south, latE7[index])
            bounds.north = max(bounds.north, latE7[index])
        }
        return relation(to: bounds)
    }
}
