/// The gaps of a page's groups as keys of ``BoxGaps``, which are taken in ascending order.
struct GroupKeys {
    private var keys: (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>)
    /// The key that was taken last.
    private var last: Int32 = -1

    @inline(__always)
    init(_ gaps: BoxGaps, _ groups: PageGroups) {
        keys = unsafe withUnsafeTemporaryAllocation(
            byteCount: 4 * PageGroups.capacity, alignment: 16
        ) { room in
            let numbers = unsafe room.bindMemory(to: Int32.self)
            if let start = numbers.baseAddress { unsafe gaps.write(groups, to: start) }
            return unsafe (
                room.load(as: SIMD4<Int32>.self),
                room.load(fromByteOffset: 16, as: SIMD4<Int32>.self),
                room.load(fromByteOffset: 32, as: SIMD4<Int32>.self),
                room.load(fromByteOffset: 48, as: SIMD4<Int32>.self)
            )
        }
    }

    /// Takes the four least keys, as long as they are not above the bound; the greatest number
    /// stands for the rest.
    @inline(__always)
    mutating func popFour(notAbove bound: Int32) -> SIMD4<Int32> {
        var four = SIMD4<Int32>(repeating: .max)
        for place in 0..<4 {
            four[place] = popLeast()
            if four[place] > bound { break }
        }
        return four
    }

    @inline(__always)
    private mutating func popLeast() -> Int32 {
        let taken = SIMD4(repeating: last)
        let four = GroupKeys.lesser(
            GroupKeys.lesser(
                GroupKeys.rest(keys.0, taken), GroupKeys.rest(keys.1, taken)),
            GroupKeys.lesser(
                GroupKeys.rest(keys.2, taken), GroupKeys.rest(keys.3, taken)))
        last = min(min(four[0], four[1]), min(four[2], four[3]))
        return last
    }

    @inline(__always)
    private static func rest(_ keys: SIMD4<Int32>, _ taken: SIMD4<Int32>) -> SIMD4<Int32> {
        keys.replacing(with: SIMD4(repeating: .max), where: keys .<= taken)
    }

    @inline(__always)
    private static func lesser(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> SIMD4<Int32> {
        a.replacing(with: b, where: b .< a)
    }
}
