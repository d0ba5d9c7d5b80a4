import GeoIndex
import TestSupport
import TileRender

/// The density of a window, summed up pixel by pixel.
struct HeatTwin {
    private let window: PixelWindow
    private let layer: HeatLayer
    private let margin: Int
    /// Weights by pixel, with a margin on each side, row by row.
    private var weights: [Double]

    init(input: BenchInput, window: PixelWindow, domain: Double) {
        self.window = window
        layer = HeatLayer(domain: domain)
        margin = layer.kernel(scale: window.scale).marginPixels
        let columns = window.width + 2 * margin
        let rows = window.height + 2 * margin
        weights = [Double](repeating: 0, count: columns * rows)
        for placement in input.placements {
            let place = WorldPoint(placement.position)
            let row = Int(place.y >> window.pixelShift) - window.originY + margin
            guard (0..<rows).contains(row) else { continue }
            // A window wider than the world shows a place several times.
            let first = Int(place.x >> window.pixelShift) - window.originX + margin
            let world = window.worldSizePixels
            for column in stride(from: (first % world + world) % world, to: columns, by: world) {
                weights[row * columns + column] += placement.weight
            }
        }
    }

    /// Whether some pixels of a picture have the step of their density. Whole numbers make the
    /// picture's density a little coarse, and a step may begin late by 1/2048 of the scale: near
    /// the edge of a step the next one is right too.
    func agrees(with image: IndexedImage) -> Bool {
        let stops = layer.stops.map(\.density)
        let late = layer.domain / 2048
        var random = SeededGenerator(seed: 3)
        return (0..<200).allSatisfy { _ in
            let column = Int.random(in: 0..<window.width, using: &random)
            let row = Int.random(in: 0..<window.height, using: &random)
            let density = density(column: column, row: row)
            let low = stops.filter { $0 * 1.01 + 0.05 + late <= density }.count
            let high = stops.filter { $0 * 0.99 - 0.05 <= density }.count
            return (low...high).contains(Int(image.pixels[row * window.width + column]))
        }
    }

    private func density(column: Int, row: Int) -> Double {
        let kernel = layer.kernel(scale: window.scale)
        let columns = window.width + 2 * margin
        let shares = (-margin...margin).map {
            Double(kernel.weight(atDistancePixels: $0))
                / Double(kernel.weight(atDistancePixels: 0))
        }
        var sum = 0.0
        for (dy, down) in shares.enumerated() {
            for (dx, across) in shares.enumerated() {
                sum += weights[(row + dy) * columns + column + dx] * down * across
            }
        }
        return sum
    }
}
