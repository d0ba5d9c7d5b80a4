/// A priority queue: the element that comes first is taken first.
struct BinaryHeap<Element> {
    private var elements: [Element] = []
    private let precedes: (Element, Element) -> Bool

    init(_ precedes: @escaping (Element, Element) -> Bool) {
        self.precedes = precedes
    }

    /// O(log n).
    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(elements[child], elements[parent]) else { return }
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
            if child + 1 < elements.count && precedes(elements[child + 1], elements[child]) {
                child += 1
            }
            guard precedes(elements[child], elements[parent]) else { return first }
            elements.swapAt(child, parent)
            parent = child
        }
    }
}
