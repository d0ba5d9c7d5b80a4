/// What a ``BinaryHeap`` orders.
protocol HeapElement {
    /// Whether it is taken before another.
    func precedes(_ other: Self) -> Bool
}

/// A priority queue: the element that comes first is taken first.
struct BinaryHeap<Element: HeapElement> {
    private var elements: [Element] = []

    /// O(log n).
    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child].precedes(elements[parent]) else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// O(log n).
    mutating func popFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < elements.count else { return first }
            if child + 1 < elements.count && elements[child + 1].precedes(elements[child]) {
                child += 1
            }
            guard elements[child].precedes(elements[parent]) else { return first }
            elements.swapAt(child, parent)
            parent = child
        }
    }
}
