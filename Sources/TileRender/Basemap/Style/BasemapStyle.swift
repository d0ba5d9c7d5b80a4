internal import GeoIndex

/// How the map looks: every colour, width, size and threshold of it, and nothing else.
///
/// Widths and sizes are pixels at scale 1. The values are those of `styles/basemap.json`, which
/// whoever makes a style has checked: `docs/basemap.md` says what each means.
package struct BasemapStyle: Sendable {
    /// The least and the greatest width of a line, in pixels. The greatest bounds how far around
    /// a picture one must look.
    package static let lineWidths = 0.1...48.0

    /// What the style is called in requests.
    package let name: String
    /// What is there where nothing else is: the sea.
    package let background: Color
    /// What is drawn, from the bottom up.
    package let layers: [Layer]
    /// How names look, and which show.
    package let names: Names

    /// A style.
    package init(name: String, background: Color, layers: [Layer], names: Names) {
        self.name = name
        self.background = background
        self.layers = layers
        self.names = names
    }

    /// One layer of shapes.
    package enum Layer: Sendable {
        /// The inside of areas.
        case fill(Fill)
        /// Lines, or the outlines of areas.
        case line(Line)
        /// Lines that cross and join: casings lie under the fills of all classes of the same
        /// level, and bridges lie over what they cross.
        case roads([Line])
    }

    /// Areas of a class.
    package struct Fill: Sendable {
        let shapes: ShapeClass
        let color: Color
        let zooms: ClosedRange<UInt8>

        /// Areas in a colour.
        package init(_ shapes: ShapeClass, color: Color, zooms: ClosedRange<UInt8>) {
            precondition(shapes.isArea, "\(shapes) has no inside")
            self.shapes = shapes
            self.color = color
            self.zooms = zooms
        }
    }

    /// Lines of a class.
    package struct Line: Sendable {
        let shapes: ShapeClass
        let color: Color
        let zooms: ClosedRange<UInt8>
        let widthPixels: ZoomCurve
        let casing: Casing?

        /// Lines in a colour.
        package init(
            _ shapes: ShapeClass, color: Color, zooms: ClosedRange<UInt8>, widthPixels: ZoomCurve,
            casing: Casing? = nil
        ) {
            self.shapes = shapes
            self.color = color
            self.zooms = zooms
            self.widthPixels = widthPixels
            self.casing = casing
        }

        /// The width with the casing, in pixels.
        package func wholeWidthPixels(_ zoom: UInt8) -> Double {
            let side = casing.map { $0.zooms.contains(zoom) ? $0.widthPixels[zoom] : 0 } ?? 0
            return widthPixels[zoom] + 2 * side
        }
    }

    /// A rim on both sides of a line.
    package struct Casing: Sendable {
        let color: Color
        let zooms: ClosedRange<UInt8>
        let widthPixels: ZoomCurve

        /// A rim of some width on each side.
        package init(color: Color, zooms: ClosedRange<UInt8>, widthPixels: ZoomCurve) {
            self.color = color
            self.zooms = zooms
            self.widthPixels = widthPixels
        }
    }

    /// The widest line at a zoom, in pixels.
    func widestLinePixels(_ zoom: UInt8) -> Double {
        var widest = 0.0
        for layer in layers {
            let lines: [Line] =
                switch layer {
                case .fill: []
                case .line(let line): [line]
                case .roads(let lines): lines
                }
            for line in lines where line.zooms.contains(zoom) {
                widest = max(widest, line.wholeWidthPixels(zoom))
            }
        }
        return widest
    }
}
