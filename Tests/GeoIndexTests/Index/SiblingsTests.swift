import TestSupport
import Testing

@testable import GeoIndex

struct SiblingsTests {
    @Test("a list of children changes as an array does", arguments: 0..<16)
    func asAnArray(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        var twin = try pages(of: .random(in: 1...64, using: &random), seed: seed)
        let spare = try pages(of: 200, seed: seed + 100)
        var siblings = Siblings(twin[...])
        for _ in 0..<100 where !twin.isEmpty {
            let index = Int.random(in: twin.indices, using: &random)
            let old = siblings
            let oldTwin = twin
            let next = (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
                spare.randomElement(using: &random)
            }
            if next.count == 1 && Bool.random(using: &random) {
                siblings[index] = next[0]
                twin[index] = next[0]
            } else {
                siblings.replace(index, with: next)
                twin.replaceSubrange(index...index, with: next)
            }
            #expect(siblings.elementsEqual(twin, by: ===))
            #expect(siblings.count == twin.count)
            #expect(old.elementsEqual(oldTwin, by: ===))
            let isFull = siblings.runs.dropLast().allSatisfy {
                $0.count == Siblings<LeafPage>.runLength
            }
            #expect(isFull)
            #expect(siblings.runs.last?.isEmpty != true)
        }
    }

    @Test("a list shares the runs that are as they were")
    func sharing() throws {
        let children = try pages(of: 40, seed: 1)
        let siblings = Siblings(children[...])
        var next = siblings
        next[17] = children[0]
        for run in siblings.runs.indices {
            let (old, new) = (siblings.runs[run], next.runs[run])
            let isShared = unsafe old.withUnsafeBufferPointer { old in
                unsafe new.withUnsafeBufferPointer { unsafe $0.baseAddress == old.baseAddress }
            }
            #expect(isShared == (run != 2), "run \(run)")
        }
    }

    /// Pages of one entry each.
    private func pages(of count: Int, seed: Int) throws -> [LeafPage] {
        let context = PageContext(kindHashes: [0], generation: 0)
        return try Shape.world.positions(count: count, seed: seed).enumerated().map {
            var batch = EntryBatch(fields: 0)
            let object = try #require(ObjectKey(packing: "\($0)"))
            let placement = Placement(position: $1)
            batch.append(IndexEntry(object: object, placement, kind: 0), of: placement)
            return try #require(batch.pages(target: 1, context).first)
        }
    }
}
