import GeoIndex

/// One aggregate of a cluster: the name of its property and its value.
struct AggregateValue: Hashable, Sendable {
    var name: String
    /// In units of ``FixedPoint``.
    var units: Int128
}

extension LayerFields {
    /// The aggregates of a cluster; one that no member has a value for is left out.
    func values(of details: ClusterDetails) -> [AggregateValue] {
        []
    }
}
