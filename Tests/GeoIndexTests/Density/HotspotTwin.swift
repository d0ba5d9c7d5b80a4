import GeoIndex
import Glibc

/// Hotspots by their definition, over all pixels of the world that have a density.
struct HotspotTwin {
    struct Object {
        var point: WorldPoint
        var weight: Int
        var kind: String?
        var owner: UInt64 = 0
    }

    struct Found: Equatable {
        var id: UInt64
        var hundredths: Int64
        var density: UInt64
        var point: WorldPoint
        var count: Int
        var kinds: [String: Int]
    }

    struct Pixel: Hashable {
        var x: Int
        var y: Int
    }

    let zoom: Int
    let radius: Int
    private var size: Int { 256 << zoom }
    private var reach: Int { max(24, radius) }

    func pixel(of point: WorldPoint) -> Pixel {
        Pixel(x: Int(point.x) >> (24 - zoom), y: Int(point.y) >> (24 - zoom))
    }

    /// Objects in cells of 16 pixels that have enough distinct owners.
    func guarded(_ objects: [Object], minOwners: Int) -> [Object] {
        func cell(_ object: Object) -> Pixel {
            let pixel = pixel(of: object.point)
            return Pixel(x: pixel.x / 16, y: pixel.y / 16)
        }
        var owners: [Pixel: Set<UInt64>] = [:]
        for object in objects where object.owner != 0 && object.weight > 0 {
            owners[cell(object), default: []].insert(object.owner)
        }
        return objects.filter { owners[cell($0), default: []].count >= minOwners }
    }

    /// The density of every pixel that has any; rows first, rounded, then columns.
    func field(_ objects: [Object]) -> [Pixel: UInt64] {
        let kernel = (-(radius - 1)...(radius - 1)).map { distance in
            let rest = radius * radius - distance * distance
            return (distance, UInt64(rest * rest))
        }
        let peak = radius * radius * radius * radius
        let shift = UInt64(log2(Double(peak)).rounded(.down))
        var rows: [Pixel: UInt64] = [:]
        for object in objects {
            let place = pixel(of: object.point)
            for (distance, weight) in kernel {
                // A world of 256 pixels is wider than any kernel.
                let x = (place.x + distance + size) % size
                rows[Pixel(x: x, y: place.y), default: 0] += UInt64(object.weight) * weight
            }
        }
        var field: [Pixel: UInt64] = [:]
        for (place, sum) in rows {
            let rounded = (sum + (1 << shift) / 2) >> shift
            for (distance, weight) in kernel where (0..<size).contains(place.y + distance) {
                field[Pixel(x: place.x, y: place.y + distance), default: 0] += rounded * weight
            }
        }
        return field
    }

    /// All hotspots of the world, the hottest first.
    func hotspots(_ objects: [Object]) -> [Found] {
        let heavy = objects.filter { $0.weight > 0 }
        let field = field(heavy)
        let blocks = Set(
            heavy.map { object in
                let pixel = pixel(of: object.point)
                return Pixel(x: pixel.x / 64, y: pixel.y / 64)
            })
        let area = Double(blocks.count * 4096)
        let kernel = (-(radius - 1)...(radius - 1)).map { distance in
            pow(Double(radius * radius - distance * distance), 2)
        }
        let unit = exp2(log2(pow(Double(radius), 4)).rounded(.down))
        let sum = heavy.reduce(0) { $0 + $1.weight }
        let squares = heavy.reduce(0) { $0 + $1.weight * $1.weight }
        let axis = kernel.reduce(0, +)
        let axisSquares = kernel.reduce(0) { $0 + $1 * $1 }
        let mean = Double(sum) * axis * axis / unit / area
        let deviation = (Double(squares) * axisSquares * axisSquares / area).squareRoot() / unit
        return field.filter { isMaximum($0.key, $0.value, field) }.compactMap { place, density in
            let score = ((Double(density) - mean) / deviation * 100).rounded()
            guard score > 0 else { return nil }
            return found(place, density, Int64(score), objects)
        }
        .sorted {
            $0.hundredths != $1.hundredths ? $0.hundredths > $1.hundredths : $0.id < $1.id
        }
    }

    private func isMaximum(_ place: Pixel, _ density: UInt64, _ field: [Pixel: UInt64]) -> Bool {
        // The nearest first: nearly all pixels are on a slope.
        for ring in 1...reach {
            for (across, down) in HotspotTwin.ring(ring) {
                guard across * across + down * down < reach * reach else { continue }
                let other = Pixel(x: (place.x + across + size) % size, y: place.y + down)
                guard let rival = field[other] else { continue }
                if rival > density || (rival == density && code(other) < code(place)) {
                    return false
                }
            }
        }
        return true
    }

    /// The steps to the pixels of a square's edge.
    private static func ring(_ size: Int) -> [(Int, Int)] {
        (-size...size).flatMap { step in
            [(step, -size), (step, size), (-size, step), (size, step)]
        }
    }

    private func found(
        _ place: Pixel, _ density: UInt64, _ score: Int64, _ objects: [Object]
    ) -> Found {
        let members = objects.filter { object in
            let pixel = pixel(of: object.point)
            let apart = abs(pixel.x - place.x)
            let across = min(apart, size - apart)
            let down = pixel.y - place.y
            return across * across + down * down < radius * radius
        }
        let side = 1 << (24 - zoom)
        return Found(
            id: (1 << (2 * (UInt64(zoom) + 4))) + code(Pixel(x: place.x / 16, y: place.y / 16)),
            hundredths: score, density: density,
            point: WorldPoint(
                x: UInt32(place.x * side + side / 2), y: UInt32(place.y * side + side / 2)),
            count: members.count,
            kinds: Dictionary(grouping: members.compactMap(\.kind)) { $0 }.mapValues(\.count))
    }

    /// A pixel's place along the Z-curve, bit by bit.
    private func code(_ pixel: Pixel) -> UInt64 {
        var code: UInt64 = 0
        for bit in (0..<31).reversed() {
            code = code * 4 + UInt64((pixel.y >> bit & 1) * 2 + (pixel.x >> bit & 1))
        }
        return code
    }
}
