import GeoIndex
import GeoStore
import JSONText
import TileRender

/// The features of a vector tile, as a layer's clusters and singles become them.
struct VectorFeatures {
    private var layer: VectorLayerWriter
    private var properties = PropertyWriter()
    private var scratch: [UInt8] = []
    /// The names that all clusters have, once there is one.
    private var clusterKeys: ClusterKeys?

    /// The names of a cluster's properties in the layer's table.
    private struct ClusterKeys {
        let cluster, id, count, abbreviated, box, kinds: VectorLayerWriter.Key

        init(_ layer: inout VectorLayerWriter) {
            cluster = layer.key("cluster")
            id = layer.key("cluster_id")
            count = layer.key("point_count")
            abbreviated = layer.key("point_count_abbreviated")
            box = layer.key("bbox")
            kinds = layer.key("kinds")
        }
    }

    init(layer name: String) { layer = VectorLayerWriter(name: name) }

    /// The bytes of the tile; none without features.
    func tile() -> [UInt8] { layer.tile() }

    /// The number of a single object's feature: a hash of its id from 2^51 up to 2^52.
    ///
    /// A cluster's number is 4^d and less than as much more, for a level d of at most 26: those of
    /// level 25 end at 2^51 and those of level 26 begin at 2^52, so that none is a single's.
    static func number(ofSingle id: String) -> UInt64 {
        var hash = StableHash()
        hash.combine(bytes: id.utf8)
        return 1 << 51 | hash.value >> 13
    }

    /// Adds a single object with its readable fields.
    ///
    /// - Parameter object: Its document; nil shows its id alone.
    mutating func addSingle(
        _ id: String, _ object: ShownObjects.Object?, of all: ShownObjects, x: Int32, y: Int32
    ) {
        layer.beginPoint(id: VectorFeatures.number(ofSingle: id), x: x, y: y)
        layer.add(layer.key("objectId"), text: id)
        if let object {
            layer.add(layer.key("createdAt"), text: object.createdAt.description)
            all.withFields(of: object) { properties.add($0, to: &layer) }
        }
        layer.endPoint()
    }

    /// Adds a cluster with the properties that it has in a cluster list; `bbox` and `kinds` as JSON
    /// texts.
    mutating func addCluster(
        _ id: UInt64, count: Int, _ details: ClusterDetails, _ aggregates: [AggregateValue],
        x: Int32, y: Int32
    ) {
        let keys = clusterKeys ?? ClusterKeys(&layer)
        clusterKeys = keys
        layer.beginPoint(id: id, x: x, y: y)
        layer.add(keys.cluster, flag: true)
        // Ids are below 2^53.
        layer.add(keys.id, whole: Int64(clamping: id))
        layer.add(keys.count, whole: Int64(count))
        layer.add(keys.abbreviated, text: CountLabel.abbreviated(count))
        writeBox(details.bounds)
        layer.add(keys.box, text: scratch)
        writeKinds(details.kinds)
        layer.add(keys.kinds, text: scratch)
        for aggregate in aggregates { add(aggregate) }
        layer.endPoint()
    }

    private mutating func add(_ aggregate: AggregateValue) {
        let (whole, rest) = aggregate.units.quotientAndRemainder(
            dividingBy: Int128(FixedPoint.unitsPerOne))
        if rest == 0, let whole = Int64(exactly: whole) {
            layer.add(layer.key(aggregate.name), whole: whole)
        } else if let number = Double(FixedDecimal.text(units: aggregate.units)) {
            layer.add(layer.key(aggregate.name), number: number)
        }
    }

    private mutating func writeKinds(_ kinds: [(kind: String, count: Int)]) {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(UInt8(ascii: "{"))
        for (kind, count) in kinds {
            if scratch.count > 1 { scratch.append(UInt8(ascii: ",")) }
            JSONWriter.append(kind, to: &scratch)
            scratch.append(UInt8(ascii: ":"))
            JSONWriter.append(Int64(count), to: &scratch)
        }
        scratch.append(UInt8(ascii: "}"))
    }

    /// The box with its edges, which are whole 1e-7°, as decimal numbers.
    private mutating func writeBox(_ box: BoundingBox) {
        scratch.removeAll(keepingCapacity: true)
        var opening = UInt8(ascii: "[")
        for edge in [box.west, box.south, box.east, box.north] {
            scratch.append(opening)
            // Within ±1.8e9: degrees of a box.
            VectorFeatures.append(e7: Int64((edge * 1e7).rounded()), to: &scratch)
            opening = UInt8(ascii: ",")
        }
        scratch.append(UInt8(ascii: "]"))
    }

    /// Appends whole 1e-7ths as the shortest decimal number.
    static func append(e7 value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 10_000_000)
        JSONWriter.append(Int64(whole), to: &bytes)
        if rest == 0 { return }
        bytes.append(UInt8(ascii: "."))
        var (digits, unit) = (rest, UInt64(1_000_000))
        while digits > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(digits / unit))
            digits %= unit
            unit /= 10
        }
    }
}
