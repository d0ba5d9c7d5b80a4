import GeoIndex
import JSONText

/// A GPX file (1.0 or 1.1) as rows: one for each waypoint, route and track.
///
/// A route becomes a LineString and a track a MultiLineString in the field `geometry`, with heights
/// where all its points have one; their place is a point on it. What the file says of them, and of
/// waypoints, becomes fields. ``ImportRow/line`` is the line on which the element starts.
package struct GPXSource: RowSource {
    private let reader: GPXReader
    private let xml: XMLStream

    /// Creates a reader.
    ///
    /// - Throws: ``ImportError`` without memory.
    package init(options: ImportOptions) throws(ImportError) {
        let reader = GPXReader(options: options)
        self.reader = reader
        xml = try XMLStream(
            XMLStream.Handlers(
                start: { reader.start($0, $1, $2) },
                text: { reader.text($0) },
                end: { reader.end() }))
    }

    package var notes: [String] { reader.notes }

    package mutating func push(
        _ bytes: Span<UInt8>, into batch: inout RowBatch
    ) throws(ImportError) {
        defer { reader.hand(over: &batch) }
        try xml.push(bytes)
        try reader.check()
    }

    package mutating func finish(into batch: inout RowBatch) throws(ImportError) {
        defer { reader.hand(over: &batch) }
        guard reader.hasBegun else {
            do throws(ImportError) {
                try xml.finish()
            } catch {
                if case .xml(line: 1, _) = error { throw .empty }
                throw error
            }
            return
        }
        try xml.finish()
        try reader.check()
    }
}
