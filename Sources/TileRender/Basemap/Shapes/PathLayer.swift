/// A rectangle in grid units, edges included.
struct UnitBox: Sendable {
    var minX = Int32.max
    var minY = Int32.max
    var maxX = Int32.min
    var maxY = Int32.min

    mutating func include(x: Int32, y: Int32) {
        minX = min(minX, x)
        minY = min(minY, y)
        maxX = max(maxX, x)
        maxY = max(maxY, y)
    }
}

/// Many rings or lines in flat arrays, with boxes around each and around short runs of each:
/// a picture of a street corner touches a few of a continent's runs.
package struct PathLayer: Sendable {
    /// Segments in a run.
    static let runLength = 32

    /// Whether the last point of a path is joined to its first.
    package let isClosed: Bool
    /// The points of all paths, in grid units.
    private(set) var xs: [Int32] = []
    private(set) var ys: [Int32] = []
    /// The index of the first point of each path, and the number of points at the end.
    private(set) var starts: [Int] = [0]
    /// The box around each path.
    private(set) var boxes: [UnitBox] = []
    /// The index of the first run of each path, and the number of runs at the end.
    private(set) var runStarts: [Int] = [0]
    /// The box around each run of segments, the ends of the last one included.
    private(set) var runBoxes: [UnitBox] = []

    /// No shapes yet: rings, or lines.
    package init(isClosed: Bool) { self.isClosed = isClosed }

    /// The number of paths.
    package var count: Int { boxes.count }

    /// The number of points of a path.
    func pointCount(_ path: Int) -> Int { starts[path + 1] - starts[path] }

    /// The number of segments of a path.
    func segmentCount(_ path: Int) -> Int { pointCount(path) - (isClosed ? 0 : 1) }

    /// Adds a point to the path being made.
    package mutating func append(x: Int32, y: Int32) {
        xs.append(x)
        ys.append(y)
    }

    /// Makes the points appended since the last call a path.
    ///
    /// - Precondition: there is at least one of them.
    package mutating func endPath() {
        let first = starts[starts.count - 1]
        precondition(xs.count > first, "a path needs points")
        starts.append(xs.count)
        let points = xs.count - first
        let segments = points - (isClosed ? 0 : 1)
        var whole = UnitBox()
        for run in stride(from: 0, to: segments, by: PathLayer.runLength) {
            var box = UnitBox()
            for step in run...min(run + PathLayer.runLength, segments) {
                // A closed path's last segment ends at its first point.
                let index = first + (step == points ? 0 : step)
                box.include(x: xs[index], y: ys[index])
            }
            runBoxes.append(box)
            whole.include(x: box.minX, y: box.minY)
            whole.include(x: box.maxX, y: box.maxY)
        }
        boxes.append(whole)
        runStarts.append(runBoxes.count)
    }
}
