/// Turns densities into steps by one look-up each.
///
/// Densities are cut to their leading bits below the last threshold, and thresholds are rounded up
/// to such a multiple: a step begins at most 1/2048 of the last threshold late.
struct StepTable {
    private static let bits = 12

    private let shift: UInt64
    private let table: [UInt8]

    /// Creates the table for the least value of each step, ascending.
    init(thresholds: [UInt64]) {
        let last = thresholds.last ?? 1
        let excess = UInt64.bitWidth - last.leadingZeroBitCount - StepTable.bits
        let shift = UInt64(max(0, excess))
        self.shift = shift
        // The last threshold has that many bits, and one value more when it was rounded up.
        let most = 1 << StepTable.bits
        table = [UInt8](capacity: most + 1) { out in
            for (step, threshold) in thresholds.enumerated() {
                let cut = threshold >> shift
                let isExact = cut << shift == threshold
                let start = Int(min(UInt64(most), isExact ? cut : cut + 1))
                while out.count < start { out.append(UInt8(step)) }
            }
            while out.count <= most { out.append(UInt8(thresholds.count)) }
        }
    }

    /// The number of thresholds that each value has reached.
    func steps(of values: [UInt64]) -> [UInt8] {
        let value = values.span
        let step = table.span
        let most = UInt64(step.count - 1)
        return [UInt8](capacity: values.count) { out in
            for index in value.indices {
                out.append(step[Int(truncatingIfNeeded: min(value[index] >> shift, most))])
            }
        }
    }
}
