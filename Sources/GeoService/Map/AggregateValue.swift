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
        let fields = aggregatedFields
        return aggregates.compactMap { aggregate in
            guard let place = fields.firstIndex(of: aggregate.field),
                place < details.aggregates.count
            else { return nil }
            return aggregate.value(of: details.aggregates[place])
        }
    }
}

extension FieldAggregate {
    /// The property of a cluster; nil when no member has a value.
    fileprivate func value(of sum: AggregateSum) -> AggregateValue? {
        guard sum.count > 0 else { return nil }
        let units =
            switch operation {
            case .sum: sum.sum
            case .min: Int128(sum.min)
            case .max: Int128(sum.max)
            case .mean: FixedDecimal.mean(sum: sum.sum, count: sum.count)
            }
        return AggregateValue(name: name, units: units)
    }
}
