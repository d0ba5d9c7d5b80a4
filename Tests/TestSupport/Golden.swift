package import Foundation

/// Pictures that were looked at once and are compared for ever after.
package enum Golden {
    /// Whether the pictures are to be written anew: `UPDATE_GOLDENS=1`.
    package static var isUpdating: Bool {
        ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1"
    }

    /// The folder of all fixtures, in the checkout.
    package static let fixtures = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures")

    /// The stored picture of a name; `nil` when it is missing.
    package static func stored(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: file(name))).map { Array($0) }
    }

    /// Stores a picture.
    package static func store(_ picture: [UInt8], _ name: String) throws {
        try Data(picture).write(to: file(name))
    }

    /// The share of pixels in which a channel differs by more than a step; 1 for other sizes.
    package static func share(
        of left: DecodedPNG, differingFrom right: DecodedPNG, byMoreThan step: UInt32
    ) -> Double {
        guard left.width == right.width, left.height == right.height else { return 1 }
        let different = zip(left.pixels, right.pixels).count { left, right in
            [24, 16, 8, 0].contains { shift in
                let first = Int(left >> UInt32(shift) & 255)
                let second = Int(right >> UInt32(shift) & 255)
                return abs(first - second) > Int(step)
            }
        }
        return Double(different) / Double(max(1, left.pixels.count))
    }

    private static func file(_ name: String) -> URL {
        fixtures.appending(path: "golden").appending(path: name + ".png")
    }
}
