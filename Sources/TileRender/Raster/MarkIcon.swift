/// A small picture of a kind, as an outline that is filled: what lies inside an odd number of its
/// pieces is drawn.
///
/// It stands in a square of ``gridUnits``, y southwards. At scale 1 a unit is a pixel and the
/// middle of the square is the middle of a pixel, so that edges on whole units are sharp.
public struct MarkIcon: Hashable, Sendable {
    /// A part of an outline; coordinates are units from the square's north-west corner.
    public enum Step: Hashable, Sendable {
        /// Starts a piece.
        case move(x: Double, y: Double)
        /// A straight line.
        case line(x: Double, y: Double)
        /// A Bézier curve.
        case curve(x1: Double, y1: Double, x2: Double, y2: Double, x: Double, y: Double)
        /// A straight line to where the piece started.
        case close
    }

    /// The edge of the square.
    public static let gridUnits = 13
    /// The most steps of an outline.
    public static let mostSteps = 200

    /// The outline.
    public let steps: [Step]

    /// Creates an icon.
    ///
    /// - Precondition: there are at most ``mostSteps``.
    public init(_ steps: [Step]) {
        precondition(steps.count <= MarkIcon.mostSteps, "\(steps.count) steps are too many")
        self.steps = steps
    }

    /// The coverage of each pixel of a square of some edge, with the icon in its middle.
    ///
    /// - Throws: ``CanvasError`` when there is no memory.
    func coverage(edgePixels: Int, scale: Int) throws(CanvasError) -> [UInt8] {
        let canvas = try Canvas(
            widthPixels: edgePixels, heightPixels: edgePixels, format: .coverage)
        // Whole pixels, so that what is sharp on the grid stays so: at scale 2 the middle is half
        // a pixel off.
        let corner = Double((edgePixels - MarkIcon.gridUnits * scale) / 2)
        canvas.translate(x: corner, y: corner)
        canvas.scale(by: Double(scale))
        for step in steps {
            switch step {
            case .move(let x, let y): canvas.move(x: x, y: y)
            case .line(let x, let y): canvas.line(x: x, y: y)
            case .curve(let x1, let y1, let x2, let y2, let x, let y):
                canvas.curve(x1: x1, y1: y1, x2: x2, y2: y2, x: x, y: y)
            case .close: canvas.closePath()
            }
        }
        canvas.fill(.black, evenOdd: true)
        return try canvas.coverage()
    }
}
