/// The least of many numbers, ascending.
struct AscendingFloats {
    private var numbers = InlineArray<32, Float>(repeating: .infinity)
    private let count: Int
    /// The greatest of them; infinite while there are too few.
    private(set) var last = Float.infinity

    /// - Precondition: `count` is in 1...32.
    init(count: Int) {
        precondition((1...32).contains(count), "\(count) numbers")
        self.count = count
    }

    @inline(__always)
    mutating func insert(_ number: Float) {
        guard number < last else { return }
        var place = count &- 1
        // Within the count, which is at most 32.
        while place > 0, unsafe numbers[unchecked: place &- 1] > number {
            unsafe numbers[unchecked: place] = numbers[unchecked: place &- 1]
            place &-= 1
        }
        unsafe numbers[unchecked: place] = number
        last = unsafe numbers[unchecked: count &- 1]
    }
}
