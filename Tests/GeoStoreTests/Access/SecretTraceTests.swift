import Foundation
import GeoStore
import Glibc
import JSONText
import TestSupport
import Testing

@Suite("What is left of secrets in the files")
struct SecretTraceTests {
    /// What each 16 bytes of a secret begin with; its number follows.
    private static let mark: [UInt8] = [0xE1, 0x5C, 0x9D, 0x07, 0xB3, 0x88, 0xFA, 0x42]

    private static func secret(_ number: UInt64, bytes: Int) -> [UInt8] {
        let block = mark + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return (0..<bytes).map { block[$0 % 16] }
    }

    /// The numbers of all secrets of which a part is in the files of the store. A part that is
    /// cut after the mark tells none.
    private static func traces(_ scratch: Scratch) throws -> Set<UInt64> {
        var numbers: Set<UInt64> = []
        for name in ["", "-wal", "-shm"] {
            let path = scratch.path + "/geoservice.sqlite" + name
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            unsafe data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                var place = 0
                while place + 16 <= bytes.count,
                    let found = unsafe memchr(
                        start + place, Int32(mark[0]), bytes.count - 15 - place)
                {
                    place = unsafe UnsafeRawPointer(found) - start + 1
                    guard unsafe memcmp(found, mark, mark.count) == 0 else { continue }
                    let number = unsafe bytes.loadUnaligned(
                        fromByteOffset: place + 7, as: UInt64.self)
                    if (1..<1 << 20).contains(number) {
                        numbers.insert(UInt64(littleEndian: number))
                    }
                }
            }
        }
        return numbers
    }

    @Test(
        "nothing: removed, replaced, or of objects that were deleted",
        arguments: 0..<4 as Range<UInt64>)
    func gone(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = try Scratch()
        let store = try scratch.open()
        var live: [String: UInt64] = [:]
        var next: UInt64 = 1
        // From some bytes to what fills pages of its own.
        let sizes = [16, 96, 97, 900, 5000, 20_000]
        for _ in 0..<40 {
            var edits: [(id: String, value: [UInt8]?, isDeleted: Bool)] = []
            for _ in 0..<20 {
                let id = "id\(Int.random(in: 0..<150, using: &random))"
                let choice = Int.random(in: 0..<6, using: &random)
                let size = sizes.randomElement(using: &random) ?? 16
                live[id] = choice < 2 ? nil : next
                edits.append((id, live[id].map { Self.secret($0, bytes: size) }, choice == 0))
                next += 1
            }
            let made = edits
            try store.write { transaction in
                for edit in made {
                    if edit.isDeleted { try transaction.delete("Spot", edit.id) }
                    if !edit.isDeleted, try transaction.object("Spot", edit.id) == nil {
                        try transaction.insert(try .spot(edit.id))
                    }
                    try transaction.setSecret("p", of: "Spot", edit.id, to: edit.value)
                }
            }
        }
        store.close()
        // What is there is found, so that the search can find.
        #expect(try Self.traces(scratch) == Set(live.values))
        #expect(live.count > 50)
    }

    @Test("the first removal cuts the log, while the store is open")
    func log() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        try store.write { transaction in
            try transaction.insert(try .spot("a"))
            try transaction.setSecret("p", of: "Spot", "a", to: Self.secret(1, bytes: 96))
            try transaction.setSecret("q", of: "Spot", "a", to: Self.secret(2, bytes: 5000))
        }
        #expect(try Self.traces(scratch) == [1, 2])
        try store.write { try $0.setSecret("p", of: "Spot", "a", to: nil) }
        // The completion of the job comes before the cut, that of the next one after it.
        try store.write { _ in }
        #expect(try Self.traces(scratch) == [2])
    }
}
