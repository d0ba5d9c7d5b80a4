import Foundation
import GeoIndex
import JSONText
import Testing

@testable import GeoImport

/// A stream of random numbers for tests, replayed by its seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    var state: UInt64
    init(seed: Int) { state = UInt64(seed) }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }
}

/// What a whole input gave.
struct Reading: Equatable {
    var rows: [ImportRow] = []
    var rejections: [RowRejection] = []
    var error: ImportError?

    var lines: [Int] { rows.map(\.line) }
    var rejectedLines: [Int] { rejections.map(\.line) }
    var reasons: [RejectionReason] { rejections.map(\.reason) }
}

/// Where an input is cut into pieces.
enum Cuts {
    case whole
    /// Pieces of the same length.
    case every(Int)
    case random(seed: Int)

    func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var random = SeededRandom(seed: 0)
        if case .random(let seed) = self { random = SeededRandom(seed: seed) }
        var place = 0
        while place < bytes.count {
            let length =
                switch self {
                case .whole: bytes.count
                case .every(let length): length
                case .random: Int.random(in: 1...9, using: &random)
                }
            let end = min(bytes.count, place + length)
            pieces.append(bytes[place..<end])
            place = end
        }
        return pieces
    }
}

func read(
    _ bytes: [UInt8], as format: ImportFormat, cuts: Cuts = .whole,
    options: ImportOptions = ImportOptions()
) -> Reading {
    var reading = Reading()
    do {
        var receiver = try RowReceiver(
            format: format, options: options, spoolDirectory: NSTemporaryDirectory())
        for piece in cuts.pieces(bytes) {
            try receiver.push(Array(piece).span) { batch in
                reading.rows += batch.rows
                reading.rejections += batch.rejections
            }
        }
        try receiver.finish { batch in
            reading.rows += batch.rows
            reading.rejections += batch.rejections
        }
    } catch {
        reading.error = error as? ImportError
    }
    return reading
}

func read(
    _ text: String, as format: ImportFormat, cuts: Cuts = .whole,
    options: ImportOptions = ImportOptions()
) -> Reading {
    read(Array(text.utf8), as: format, cuts: cuts, options: options)
}

/// The folder of the checkout.
let checkout = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

func fixture(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: checkout.appendingPathComponent("fixtures/import/" + name)))
}

/// The folder of real data beside the checkout; nil where it is absent.
let realData: URL? = {
    let folder = checkout.deletingLastPathComponent().appendingPathComponent("shared/data")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
}()
