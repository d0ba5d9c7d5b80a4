import JSONText

/// Texts by their bytes, as the store compares them: strings that only normalise alike are not the
/// same principal.
extension Collection<String> {
    /// The texts in the order of their bytes, each once. O(n · log n).
    func sortedByBytes() -> [String] {
        var result: [String] = []
        result.reserveCapacity(count)
        for text in sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where result.last?.hasSameBytes(as: text) != true {
            result.append(text)
        }
        return result
    }
}

extension [String] {
    /// Whether both have the same texts in the same order.
    func hasSameBytes(as other: [String]) -> Bool {
        // Mostly the lists of one session are compared, which are one list.
        if span.isIdentical(to: other.span) { return true }
        return count == other.count && zip(self, other).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Whether a list in the order of bytes has a text. O(log n).
    func containsSorted(_ text: String) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].utf8.lexicographicallyPrecedes(text.utf8) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < count && self[low].hasSameBytes(as: text)
    }
}
