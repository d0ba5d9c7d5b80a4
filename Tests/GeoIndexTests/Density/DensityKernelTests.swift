import GeoIndex
import TestSupport
import Testing

struct DensityKernelTests {
    static let radii = [4, 5, 8, 9, 24, 48, 64, 127, 128]

    @Test("a lone object draws the quartic kernel", arguments: radii)
    func lone(radius: Int) {
        let kernel = DensityKernel(radiusPixels: radius)
        let window = PixelWindow(
            zoom: 4, scale: 1, originX: 1000, originY: 1000, width: 2 * radius + 9,
            height: 2 * radius + 9)
        var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
        let middle = radius + 4
        grid.add(pixelCorner(window, middle, middle), weight: DensityGrid.weightUnit)
        let field = DensityField(grid, kernel: kernel)
        #expect(field.density(column: middle, row: middle) == 1)
        for offset in -radius - 1...radius + 1 {
            let share = Double(offset) / Double(radius)
            let wanted = abs(share) < 1 ? (1 - share * share) * (1 - share * share) : 0
            let along = field.density(column: middle + offset, row: middle)
            let down = field.density(column: middle, row: middle + offset)
            // The first pass rounds to 1/256 of an object, the second not at all.
            #expect(abs(along - wanted) <= 1.0 / 512)
            #expect(abs(down - wanted) <= 1e-12)
            #expect((down > 0) == (abs(offset) < radius))
        }
    }

    @Test("the field is the sum over all objects, cell by cell", arguments: 0..<48)
    func twin(seed: Int) {
        var random = SeededGenerator(seed: seed)
        let radius = [4, 7, 12, 24][seed % 4]
        let kernel = DensityKernel(radiusPixels: radius)
        let window = PixelWindow(
            zoom: 3, scale: 1 + seed % 2, originX: seed % 3 == 0 ? -20 : 300,
            originY: seed % 5 == 0 ? -10 : 777, width: 40, height: 31)
        var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
        var objects: [(column: Int, row: Int, weight: UInt32)] = []
        for _ in 0..<[0, 1, 2, 50, 400, 3000][seed % 6] {
            let column = Int.random(in: -radius - 3..<40 + radius + 3, using: &random)
            let row = Int.random(in: -radius - 3..<31 + radius + 3, using: &random)
            guard window.originY + row >= 0 else { continue }
            let weight = UInt32.random(in: 0...(seed % 7 == 0 ? 1 << 24 : 600), using: &random)
            objects.append((column, row, weight))
            grid.add(pixelCorner(window, column, row), weight: weight)
        }
        let field = DensityField(grid, kernel: kernel)
        #expect(field.values == DensityKernelTests.blurred(objects, window, kernel))
    }

    /// Each row's objects by their distance along the row, rounded; then the rows by theirs.
    private static func blurred(
        _ objects: [(column: Int, row: Int, weight: UInt32)], _ window: PixelWindow,
        _ kernel: DensityKernel
    ) -> [UInt64] {
        var rows: [Int: [(column: Int, row: Int, weight: UInt32)]] = [:]
        for object in objects { rows[object.row, default: []].append(object) }
        let half = (UInt64(1) << kernel.rowShift) / 2
        return (0..<window.height).flatMap { row in
            (0..<window.width).map { column in
                rows.reduce(0) { sum, line in
                    let along = line.value.reduce(UInt64(0)) {
                        $0 + UInt64($1.weight)
                            * kernel.weight(atDistancePixels: $1.column - column)
                    }
                    return sum + ((along + half) >> kernel.rowShift)
                        * kernel.weight(atDistancePixels: line.key - row)
                }
            }
        }
    }

    @Test("the heaviest input saturates and does not wrap", arguments: radii)
    func saturates(radius: Int) {
        let kernel = DensityKernel(radiusPixels: radius)
        let window = PixelWindow(
            zoom: 6, scale: 1, originX: 1000, originY: 1000, width: 5, height: 5)
        var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
        var lighter = grid
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let place = pixelCorner(
                    window, column - kernel.marginPixels, row - kernel.marginPixels)
                grid.add(place, weight: .max)
                grid.add(place, weight: .max)
                lighter.add(place, weight: 10_000)
            }
        }
        let most = DensityField(grid, kernel: kernel)
        let less = DensityField(lighter, kernel: kernel)
        #expect(Set(most.values).count == 1)
        for (high, low) in zip(most.values, less.values) { #expect(high > low) }
    }

    @Test("the kernel's parts are what its formula says", arguments: radii)
    func parts(radius: Int) {
        let kernel = DensityKernel(radiusPixels: radius)
        #expect(kernel.weight(atDistancePixels: 0) == UInt64(radius * radius * radius * radius))
        #expect(kernel.weight(atDistancePixels: radius) == 0)
        #expect(kernel.weight(atDistancePixels: -radius - 5) == 0)
        #expect(kernel.weight(atDistancePixels: -1) == kernel.weight(atDistancePixels: 1))
        let sum = (-radius...radius).reduce(UInt64(0)) {
            $0 + kernel.weight(atDistancePixels: $1)
        }
        // The cap times all weights, and the rounding half, stay below 2^64.
        let (product, overflow) = UInt64(kernel.cap).multipliedReportingOverflow(by: sum)
        #expect(!overflow)
        #expect(product <= UInt64.max - (UInt64(1) << kernel.rowShift) / 2)
    }

    @Test("the suggested domain is a power of two near the 99th percentile")
    func domain() throws {
        let kernel = DensityKernel(radiusPixels: 8)
        let window = PixelWindow(
            zoom: 6, scale: 1, originX: 1000, originY: 1000, width: 200, height: 200)
        var grid = DensityGrid(window: window, marginPixels: kernel.marginPixels)
        #expect(DensityField(grid, kernel: kernel).suggestedDomain() == nil)
        grid.add(pixelCorner(window, 0, 0), weight: DensityGrid.weightUnit)
        #expect(DensityField(grid, kernel: kernel).suggestedDomain() == 1)
        for index in 0..<20_000 {
            grid.add(pixelCorner(window, 100 + index % 9, 100 + index % 7), weight: 256)
        }
        let field = DensityField(grid, kernel: kernel)
        let dense = field.values.filter { $0 > 0 }.sorted()
        let high = Double(dense[(dense.count - 1) * 99 / 100]) / Double(field.unit)
        let domain = try #require(field.suggestedDomain())
        #expect(domain.significand == 1)
        #expect((domain / high).magnitude <= 2.0.squareRoot() * (1 + 1e-12))
        #expect(domain / high >= 0.5.squareRoot() * (1 - 1e-12))
    }
}

/// The north-west corner of a pixel of a window.
func pixelCorner(_ window: PixelWindow, _ column: Int, _ row: Int) -> WorldPoint {
    let x = UInt64(bitPattern: Int64(window.originX + column)) << UInt64(window.pixelShift)
    let y = UInt64(bitPattern: Int64(window.originY + row)) << UInt64(window.pixelShift)
    return WorldPoint(x: UInt32(truncatingIfNeeded: x), y: UInt32(truncatingIfNeeded: y))
}
