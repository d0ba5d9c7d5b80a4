package import GeoIndex
package import JSONText

/// One object of a file, ready to be written.
package struct ImportRow: Hashable, Sendable {
    /// Where it came from: in a table the 1-based line on which the record starts (the header is
    /// line 1), in GeoJSON the feature's number, from 1.
    package let line: Int
    /// The object's id, when the file gives one; see ``FileID``.
    package let id: String?
    /// Where the object is; nil for a GeoJSON feature without a place.
    package let position: LonLat?
    /// The other fields, under names that an object may have; see ``FieldNames``.
    package private(set) var fields: JSONObject

    /// Creates a row.
    init(line: Int, id: String?, position: LonLat?, fields: JSONObject) {
        self.line = line
        self.id = id
        self.position = position
        self.fields = fields
    }

    /// Moves the fields out, so that they can be changed without being copied.
    package mutating func takeFields() -> JSONObject {
        var taken = JSONObject()
        swap(&taken, &fields)
        return taken
    }
}

/// A row that was not taken.
package struct RowRejection: Equatable, Sendable {
    /// Where the row starts, counted as in ``ImportRow/line``.
    package let line: Int
    /// The id that it would have had, where that could be read.
    package let id: String?
    /// What is wrong with it.
    package let reason: RejectionReason

    /// Creates a rejection.
    package init(line: Int, id: String? = nil, reason: RejectionReason) {
        self.line = line
        self.id = id
        self.reason = reason
    }
}

/// What a source has made of some bytes: rows to write and rows to report.
package struct RowBatch: Sendable {
    /// The rows that were read, in the order of the file.
    package var rows: [ImportRow] = []
    /// The rows that were not taken, in the order of the file.
    package var rejections: [RowRejection] = []

    /// An empty batch.
    package init() {}

    /// Adds the row of a feature's text, or why it is none.
    mutating func add(_ feature: Span<UInt8>, number: Int, by reader: FeatureReader) {
        do throws(RowProblem) {
            rows.append(try reader.row(feature, number: number))
        } catch {
            reject(number, error.reason, id: error.id)
        }
    }

    /// Adds a row that was not taken.
    mutating func reject(_ line: Int, _ reason: RejectionReason, id: String? = nil) {
        rejections.append(RowRejection(line: line, id: id, reason: reason))
    }

    /// Empties the batch and keeps its memory.
    package mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        rejections.removeAll(keepingCapacity: true)
    }
}

/// A reader that turns the bytes of a file, in pieces of any size, into rows.
///
/// Where the pieces are cut makes no difference. Memory is bounded by the piece and by the
/// format's limits, whatever the bytes are. A row that is wrong is a rejection in the batch; an
/// error is thrown only when nothing more can be read, and what came before it is in the batch.
/// After an error a source takes no more bytes.
package protocol RowSource {
    /// Takes the next bytes and appends what is complete.
    mutating func push(_ bytes: Span<UInt8>, into batch: inout RowBatch) throws(ImportError)
    /// Takes the end of the input and appends what was left.
    mutating func finish(into batch: inout RowBatch) throws(ImportError)
    /// What was read differently from how it is written, one sentence each: renamed columns.
    var notes: [String] { get }
}
