internal import Glibc

/// The glow around letters: their coverage, spread by a disk with a soft edge.
///
/// Stroking the outlines of letters gives the same picture and took most of a name's time.
enum Halo {
    /// The coverage of all that lies within a radius of what is covered.
    ///
    /// What is nearer to the west or the east edge than the radius glows on the other side, too.
    ///
    /// - Complexity: O(pixels + covered pixels · radius²).
    static func spread(_ coverage: [UInt8], width: Int, radiusPixels: Double) -> [UInt8] {
        let reach = Int(radiusPixels.rounded(.up))
        // How much of a pixel at some offset the disk covers, in 1/256.
        var disk: [(offset: Int, share: UInt32)] = []
        for y in -reach...reach {
            for x in -reach...reach {
                let distance = sqrt(Double(x * x + y * y))
                let share = min(max(radiusPixels + 0.5 - distance, 0), 1)
                if share > 0 { disk.append((y * width + x, UInt32(share * 256))) }
            }
        }
        var spread = [UInt8](repeating: 0, count: coverage.count)
        var target = spread.mutableSpan
        let source = coverage.span
        for index in source.indices where source[index] > 0 {
            let value = UInt32(source[index])
            for (offset, share) in disk {
                // At most 255 · 256 before the shift.
                let shared = UInt8(truncatingIfNeeded: value &* share >> 8)
                let place = index + offset
                if target.indices.contains(place), target[place] < shared {
                    target[place] = shared
                }
            }
        }
        return spread
    }
}
