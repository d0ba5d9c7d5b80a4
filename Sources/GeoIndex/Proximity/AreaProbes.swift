/// A box: whole units decide.
struct BoxProbe: AreaProbe {
    let box: PositionBox
    let keys: ClosedRange<UInt64>

    init(_ box: PositionBox) {
        self.box = box
        keys = box.keys
    }

    func relation(to summary: NodeSummary) -> AreaRelation {
        guard box.meets(summary) else { return .outside }
        return box.holds(summary) ? .inside : .cut
    }

    func select(_ page: LeafPage, _ range: Range<Int>, into selection: inout PageSelection) {
        let latE7 = page.latE7
        for index in range where box.contains(lonE7: page.lonE7(index), latE7: latE7[index]) {
            selection.append(index)
        }
    }
}

/// A circle on the sphere: boxes propose, the haversine decides.
struct CircleProbe: AreaProbe {
    let cap: GeoCap
    private let inner: PositionBox?

    init(centre: RoundedPosition, radius: Distance) {
        cap = GeoCap(centre: centre, radius: radius)
        inner = cap.inner
    }

    var keys: ClosedRange<UInt64> { cap.keys }

    func relation(to summary: NodeSummary) -> AreaRelation {
        guard cap.outer.meets(summary) else { return .outside }
        return inner?.holds(summary) ?? false ? .inside : .cut
    }

    func select(_ page: LeafPage, _ range: Range<Int>, into selection: inout PageSelection) {
        let latE7 = page.latE7
        for index in range {
            let (lon, lat) = (page.lonE7(index), latE7[index])
            guard cap.outer.contains(lonE7: lon, latE7: lat) else { continue }
            if inner?.contains(lonE7: lon, latE7: lat) ?? false
                || cap.contains(lonE7: lon, latE7: lat)
            {
                selection.append(index)
            }
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
    private let innerBox: PositionBox?

    init(centre: RoundedPosition, radius: Distance) {
        self.radius = radius
        let most = radius.meters / EllipsoidalGeodesy.leastRatio + GeodesicProbe.marginMeters
        let least = radius.meters / EllipsoidalGeodesy.greatestRatio - GeodesicProbe.marginMeters
        let holdsAll = radius.meters >= GeodesicProbe.greatestMeters
        outer = GeoCap(centre: centre, radius: .meters(holdsAll ? .infinity : most))
        inner = GeoCap(centre: centre, radius: .meters(holdsAll ? .infinity : max(0, least)))
        innerBox = inner.inner
    }

    var keys: ClosedRange<UInt64> { outer.keys }

    func relation(to summary: NodeSummary) -> AreaRelation {
        guard outer.outer.meets(summary) else { return .outside }
        return innerBox?.holds(summary) ?? false ? .inside : .cut
    }

    func select(_ page: LeafPage, _ range: Range<Int>, into selection: inout PageSelection) {
        let latE7 = page.latE7
        for index in range {
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
    let keys: ClosedRange<UInt64>

    /// nil without memory.
    init?(_ region: Region) {
        guard let prepared = GEOSRegion(region) else { return nil }
        self.region = prepared
        box = region.box
        keys = box.keys
    }

    func relation(to summary: NodeSummary) -> AreaRelation {
        guard box.meets(summary) else { return .outside }
        return region.relation(
            west: summary.west, south: summary.south, east: summary.east, north: summary.north)
    }

    /// Entries come in the order of the Z-curve, so that a few in a row lie close together.
    func select(_ page: LeafPage, _ range: Range<Int>, into selection: inout PageSelection) {
        let latE7 = page.latE7
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
