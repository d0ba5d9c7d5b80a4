/// What the values of one aggregated field sum up to, in units of ``FixedPoint``.
public struct AggregateSum: Sendable, Hashable {
    /// How many objects have a value.
    public var count = 0
    /// Their sum: 2^64 values of 64 bits fit.
    public var sum: Int128 = 0
    /// The least value; `Int64.max` when there is none.
    public var min = Int64.max
    /// The greatest value; `Int64.min` when there is none.
    public var max = Int64.min

    /// The sum of nothing.
    public init() {}

    /// Adds a value.
    @inline(__always)
    mutating func add(_ value: Int64) {
        count += 1
        sum += Int128(value)
        min = Swift.min(min, value)
        max = Swift.max(max, value)
    }

    /// Adds another sum.
    mutating func add(_ other: AggregateSum) {
        count += other.count
        sum += other.sum
        min = Swift.min(min, other.min)
        max = Swift.max(max, other.max)
    }
}

extension LeafPage {
    /// The sums of each field over some entries. O(entries · fields).
    func aggregates(of range: Range<Int>, fields: Int) -> [AggregateSum] {
        (0..<fields).map { field in
            var sum = AggregateSum()
            guard field < layout.fields else { return sum }
            let values = values(field)
            for index in range where values[index] != EntryBatch.noValue { sum.add(values[index]) }
            return sum
        }
    }
}
