import TestSupport
import Testing

@testable import GeoIndex

struct PageHeapTests {
    private struct Held {
        let address: UInt
        let bytes: Int
        let mark: UInt8

        /// Whether nobody else has written into it.
        var isWhole: Bool {
            guard let block = unsafe UnsafePointer<UInt8>(bitPattern: address) else { return false }
            return [0, bytes / 2, bytes - 1].allSatisfy { unsafe block[$0] == mark }
        }
    }

    private static func take(_ bytes: Int, of heap: PageHeap, mark: UInt8) throws -> Held {
        let block = unsafe try #require(heap.take(bytes))
        #expect(UInt(bitPattern: block) % UInt(PageHeap.unitBytes) == 0)
        unsafe block.initializeMemory(as: UInt8.self, repeating: mark, count: bytes)
        return Held(address: UInt(bitPattern: block), bytes: bytes, mark: mark)
    }

    private static func give(_ held: Held, to heap: PageHeap) throws -> Bool {
        let block = unsafe try #require(UnsafeMutableRawPointer(bitPattern: held.address))
        return unsafe heap.give(block, held.bytes)
    }

    @Test("blocks keep apart, and what is empty goes back to the system", arguments: 0..<3)
    func blocks(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let heap = PageHeap()
        var held: [Held] = []
        var mostMapped = 0
        for step in 0..<4_000 {
            let isGrowing = step / 1_000 % 2 == 0
            if Int.random(in: 0..<10, using: &random) < (isGrowing ? 8 : 2) || held.isEmpty {
                held.append(
                    try PageHeapTests.take(
                        Int.random(in: 1...40_000, using: &random), of: heap,
                        mark: UInt8.random(in: 0...255, using: &random)))
            } else {
                let given = held.remove(at: Int.random(in: held.indices, using: &random))
                #expect(given.isWhole)
                #expect(try PageHeapTests.give(given, to: heap))
            }
            mostMapped = max(mostMapped, heap.mappedBytes)
        }
        #expect(mostMapped >= 4 * HugePages.bytes, "the test fills too few large pages")
        for given in held { #expect(try PageHeapTests.give(given, to: heap)) }
        #expect(heap.mappedBytes == HugePages.bytes)
    }

    @Test("a heap that shrinks by half keeps what it may need again, no more")
    func shrinking() throws {
        let heap = PageHeap()
        // One block to a large page.
        var held = try (0..<16).map { _ in
            try PageHeapTests.take(HugePages.bytes, of: heap, mark: 1)
        }
        #expect(heap.mappedBytes == 16 * HugePages.bytes)
        for left in (0..<16).reversed() {
            #expect(try PageHeapTests.give(held.removeLast(), to: heap))
            #expect(heap.mappedBytes == max(1, min(16, 2 * left)) * HugePages.bytes)
        }
    }

    @Test("what is too large is not taken, and what is not its own is not taken back")
    func others() throws {
        let heap = PageHeap()
        #expect(unsafe heap.take(HugePages.bytes + 1) == nil)
        #expect(unsafe heap.take(0) == nil)
        let block = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 256)
        defer { unsafe block.deallocate() }
        #expect(unsafe !heap.give(block, 4_096))
        let other = PageHeap()
        let own = try PageHeapTests.take(4_096, of: other, mark: 3)
        #expect(try !PageHeapTests.give(own, to: heap))
        #expect(try PageHeapTests.give(own, to: other))
    }

    @Test("many at once get blocks of their own")
    func many() async throws {
        let blocks = PageBlocks()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    var random = SeededRandom(seed: worker)
                    var held: [Held] = []
                    for _ in 0..<1_000 {
                        if held.count < 100 && Bool.random(using: &random) {
                            let bytes = Int.random(in: 100...12_000, using: &random)
                            let block = unsafe blocks.take(bytes)
                            let mark = UInt8.random(in: 0...255, using: &random)
                            unsafe block.initializeMemory(
                                as: UInt8.self, repeating: mark, count: bytes)
                            held.append(
                                Held(address: UInt(bitPattern: block), bytes: bytes, mark: mark))
                        } else if let given = held.popLast() {
                            #expect(given.isWhole)
                            let block = unsafe try #require(
                                UnsafeMutableRawPointer(bitPattern: given.address))
                            unsafe blocks.give(block, given.bytes)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
