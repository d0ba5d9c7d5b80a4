internal import GeoIndex

/// Draws the shapes of a window, layer by layer as a style says.
struct ShapePainter {
    /// What a layer draws, as far as there is any of it.
    private enum Layer {
        case fill(BasemapStyle.Fill, [FeatureShapes])
        /// Lines of one or several classes, on one level.
        case lines([(line: BasemapStyle.Line, shapes: [FeatureShapes])])
    }

    private let style: BasemapStyle
    private let window: PixelWindow
    private let layers: [Layer]
    private let reachPixels: Int

    /// Gathers what is to be drawn.
    init(_ window: PixelWindow, style: BasemapStyle, sources: [any BasemapFeatures]) {
        self.style = style
        self.window = window
        let asked = ShapePainter.window(window, style: style)
        func shapes(_ shapes: ShapeClass) -> [FeatureShapes] {
            sources.flatMap { $0.shapes(shapes, in: asked) }
        }
        var layers: [Layer] = []
        // The world map's thin lines need no more.
        var reach = 6
        func lines(_ lines: [BasemapStyle.Line]) -> [(BasemapStyle.Line, [FeatureShapes])] {
            var found: [(BasemapStyle.Line, [FeatureShapes])] = []
            for line in lines where line.zooms.contains(window.zoom) {
                let shapes = shapes(line.shapes)
                guard !shapes.isEmpty else { continue }
                found.append((line, shapes))
                let width = line.wholeWidthPixels(window.zoom)
                reach = max(reach, ShapePainter.reachPixels(width, scale: window.scale))
            }
            return found
        }
        for layer in style.layers {
            switch layer {
            case .fill(let fill):
                guard fill.zooms.contains(window.zoom) else { continue }
                let shapes = shapes(fill.shapes)
                if !shapes.isEmpty { layers.append(.fill(fill, shapes)) }
            case .line(let line):
                let found = lines([line])
                if !found.isEmpty { layers.append(.lines(found)) }
            case .roads(let roads):
                let found = lines(roads)
                let levels = Set(found.flatMap { $0.1.map(\.level) }).sorted()
                for level in levels {
                    layers.append(.lines(found.map { ($0, $1.filter { $0.level == level }) }))
                }
            }
        }
        self.layers = layers
        reachPixels = reach
    }

    /// What a picture of a window depends on.
    static func window(_ window: PixelWindow, style: BasemapStyle) -> FeatureWindow {
        let widest = style.widestLinePixels(window.zoom)
        return FeatureWindow(
            window,
            marginPixels: PathFrame.marginPixels(
                reachPixels: max(6, reachPixels(widest, scale: window.scale))))
    }

    /// Half a line, and a pixel for its soft edge.
    private static func reachPixels(_ widthPixels: Double, scale: Int) -> Int {
        Int((widthPixels * Double(scale) / 2).rounded(.up)) + 1
    }

    /// The opaque pixels of the window, `0xffRRGGBB`.
    func pixels() throws(CanvasError) -> [UInt32] {
        let frame = frame(gridBits: FeatureShapes.gridBits.lowerBound)
        let canvas = try Canvas(
            widthPixels: frame.widthPixels, heightPixels: frame.heightPixels, format: .color)
        canvas.paint(style.background)
        for layer in layers {
            switch layer {
            case .fill(let fill, let shapes): self.fill(fill, shapes, frame, on: canvas)
            case .lines(let lines):
                // All casings lie below all fills, so that roads join without a rim between them.
                for (line, shapes) in lines {
                    guard let casing = line.casing, casing.zooms.contains(window.zoom) else {
                        continue
                    }
                    let width = line.wholeWidthPixels(window.zoom)
                    stroke(shapes, casing.color, width, frame, on: canvas)
                }
                for (line, shapes) in lines {
                    stroke(shapes, line.color, line.widthPixels[window.zoom], frame, on: canvas)
                }
            }
        }
        return try canvas.withPremultipliedPixels { span in
            [UInt32](capacity: window.width * window.height) { out in
                for row in 0..<window.height {
                    let start = (row + frame.marginPixels) * frame.widthPixels + frame.marginPixels
                    for index in start..<start + window.width { out.append(span[index]) }
                }
            }
        }
    }

    private func frame(gridBits: Int) -> PathFrame {
        PathFrame(window: window, gridBits: gridBits, reachPixels: reachPixels)
    }

    private func fill(
        _ fill: BasemapStyle.Fill, _ shapes: [FeatureShapes], _ frame: PathFrame,
        on canvas: borrowing Canvas
    ) {
        canvas.beginPath()
        var isEmpty = true
        var hasEdges = false
        for shapes in shapes {
            let tracer = PathTracer(
                layer: shapes.paths, frame: self.frame(gridBits: shapes.gridBits))
            switch tracer.traceAreas(on: canvas) {
            case .nothing: continue
            case .surroundings: isEmpty = false
            case .edges: (isEmpty, hasEdges) = (false, true)
            }
        }
        if isEmpty { return }
        if hasEdges { PathTracer.combAreas(frame, on: canvas) }
        canvas.fill(fill.color)
    }

    private func stroke(
        _ shapes: [FeatureShapes], _ color: Color, _ widthPixels: Double, _ frame: PathFrame,
        on canvas: borrowing Canvas
    ) {
        canvas.beginPath()
        var isEmpty = true
        for shapes in shapes {
            let tracer = PathTracer(
                layer: shapes.paths, frame: self.frame(gridBits: shapes.gridBits))
            if tracer.traceLines(on: canvas) { isEmpty = false }
        }
        if isEmpty { return }
        // The corners of thin lines cannot be seen, and cut ones take half the time.
        let corners: StrokeStyle.Corners = widthPixels <= 2 ? .cut : .round
        PathTracer.combLines(frame, corners, on: canvas)
        canvas.stroke(
            color,
            StrokeStyle(widthPixels: widthPixels * Double(window.scale), corners: corners))
    }
}
