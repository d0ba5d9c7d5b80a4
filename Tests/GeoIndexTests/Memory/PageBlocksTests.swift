import TestSupport
import Testing

@testable import GeoIndex

struct PageBlocksTests {
    @Test("no block is given to two at once, and not too much is kept", arguments: 0..<4)
    func blocks(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let blocks = PageBlocks()
        var held: [(block: UnsafeMutableRawPointer, bytes: Int, mark: UInt8)] = unsafe []
        for step in 0..<20_000 {
            // Grows to some thousands and shrinks to none, so that the limit is reached.
            let isGrowing = step / 5_000 % 2 == 0
            if Int.random(in: 0..<10, using: &random) < (isGrowing ? 8 : 2) {
                let bytes = Int.random(in: 1...(PageBlocks.largestBytes + 600), using: &random)
                let block = unsafe blocks.take(bytes)
                #expect(UInt(bitPattern: block) % 64 == 0, "\(bytes) bytes begin within a line")
                let mark = UInt8.random(in: 0...255, using: &random)
                unsafe block.initializeMemory(as: UInt8.self, repeating: mark, count: bytes)
                unsafe held.append((block, bytes, mark))
            } else if let index = unsafe held.indices.randomElement(using: &random) {
                unsafe held.swapAt(index, held.count - 1)
                let (block, bytes, mark) = unsafe held.removeLast()
                for offset in [0, 7, bytes / 2, bytes - 1] where offset < bytes {
                    #expect(unsafe block.load(fromByteOffset: offset, as: UInt8.self) == mark)
                }
                unsafe blocks.give(block, bytes)
            }
            if step % 100 == 0 { #expect(blocks.waitingBytes <= PageBlocks.keptBytes) }
        }
        while let (block, bytes, _) = unsafe held.popLast() { unsafe blocks.give(block, bytes) }
        #expect(blocks.waitingBytes <= PageBlocks.keptBytes)
        #expect(blocks.waitingBytes > PageBlocks.keptBytes - 2 * PageBlocks.largestBytes)
    }

    @Test("a block that was given back is the next of its size")
    func reuse() {
        let blocks = PageBlocks()
        let first = unsafe blocks.take(1_000)
        let other = unsafe blocks.take(1_000)
        let (address, otherAddress) = (UInt(bitPattern: first), UInt(bitPattern: other))
        unsafe blocks.give(first, 1_000)
        unsafe blocks.give(other, 1_000)
        #expect(blocks.waitingBytes == 2 * PageBlocks.size(for: 1_000))
        let again = unsafe blocks.take(1_008)
        let last = unsafe blocks.take(900)
        #expect(UInt(bitPattern: again) == otherAddress)
        #expect(UInt(bitPattern: last) == address)
        #expect(blocks.waitingBytes == 0)
        unsafe blocks.give(again, 1_008)
        unsafe blocks.give(last, 900)
    }
}
