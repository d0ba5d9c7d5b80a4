import JSONText

/// One GeoJSON text as rows: a FeatureCollection cut into features, or one feature or geometry.
///
/// Each feature is parsed alone, so a file of any length takes the memory of its longest feature,
/// and a feature that is wrong is one rejected row. What is wrong with the collection itself ends
/// the reading with the place of the byte. Other members of the collection are checked and left.
package struct GeoJSONSource: RowSource {
    private enum State {
        case root, nameOrEnd, name, colon, value, commaOrEnd
        case featureOrEnd, feature, featureCommaOrEnd
        case end
    }

    private let reader: FeatureReader
    private let featureLimit: Int
    private var cutter: ValueCutter
    private var state = State.root
    private var consumedBytes = 0
    private var name = ""
    /// The members of the root so far, until it turns out to be a collection.
    private var members = JSONObject()
    private var memberBytes = 0
    private var isCollection = false
    private var features = 0

    /// Creates a reader.
    ///
    /// - Throws: ``ImportError`` for a reference system that there is not.
    package init(options: ImportOptions) throws(ImportError) {
        reader = try FeatureReader(options: options)
        featureLimit = options.limits.featureBytes
        cutter = ValueCutter(byteLimit: featureLimit)
    }

    package var notes: [String] { reader.notes }

    package mutating func push(
        _ piece: Span<UInt8>, into batch: inout RowBatch
    ) throws(ImportError) {
        var place = 0
        while place < piece.count {
            if cutter.isOpen {
                try cut(piece, &place, &batch)
                continue
            }
            let byte = piece[place]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                place += 1
            default:
                try take(byte, piece, &place, &batch)
            }
        }
        consumedBytes += piece.count
    }

    package mutating func finish(into batch: inout RowBatch) throws(ImportError) {
        switch state {
        case .end: break
        case .root: throw .empty
        default: throw .truncated(offset: consumedBytes)
        }
    }

    /// Takes a byte between two values.
    private mutating func take(
        _ byte: UInt8, _ piece: Span<UInt8>, _ place: inout Int, _ batch: inout RowBatch
    ) throws(ImportError) {
        switch (state, byte) {
        case (.root, UInt8(ascii: "{")): state = .nameOrEnd
        case (.root, _) where isByteOrderMark(byte, at: consumedBytes + place): break
        case (.root, 0xfe), (.root, 0xff): throw .utf16
        case (.nameOrEnd, UInt8(ascii: "}")), (.commaOrEnd, UInt8(ascii: "}")):
            try endRoot(at: place, &batch)
        case (.nameOrEnd, UInt8(ascii: "\"")), (.name, UInt8(ascii: "\"")):
            state = .name
            try cut(piece, &place, &batch)
            return
        case (.colon, UInt8(ascii: ":")): state = .value
        case (.value, UInt8(ascii: "[")) where name == "features" && mayBeCollection:
            isCollection = true
            state = .featureOrEnd
        case (.value, UInt8(ascii: ",")), (.value, UInt8(ascii: "}")), (.value, UInt8(ascii: "]")),
            (.value, UInt8(ascii: ":")):
            throw structure(place, "a value is missing")
        case (.value, _):
            try cut(piece, &place, &batch)
            return
        case (.commaOrEnd, UInt8(ascii: ",")): state = .name
        case (.featureOrEnd, UInt8(ascii: "]")), (.featureCommaOrEnd, UInt8(ascii: "]")):
            state = .commaOrEnd
        case (.feature, UInt8(ascii: ",")), (.feature, UInt8(ascii: "]")),
            (.feature, UInt8(ascii: "}")), (.feature, UInt8(ascii: ":")),
            (.featureOrEnd, UInt8(ascii: ",")), (.featureOrEnd, UInt8(ascii: "}")),
            (.featureOrEnd, UInt8(ascii: ":")):
            throw structure(place, "a feature is missing")
        case (.featureOrEnd, _), (.feature, _):
            state = .feature
            try cut(piece, &place, &batch)
            return
        case (.featureCommaOrEnd, UInt8(ascii: ",")): state = .feature
        case (.root, _): throw structure(place, "it does not begin with {")
        case (.end, _):
            throw structure(
                place,
                "there is more after its end; for one feature on each line "
                    + "say the format geojsonl")
        case (.nameOrEnd, _), (.name, _): throw structure(place, "a member's name is missing")
        case (.colon, _): throw structure(place, "a colon is missing")
        case (.commaOrEnd, _): throw structure(place, "a comma or } is missing")
        case (.featureCommaOrEnd, _): throw structure(place, "a comma or ] is missing")
        }
        place += 1
    }

    /// Goes on with a value; when it has ended, does what its place in the text asks.
    private mutating func cut(
        _ piece: Span<UInt8>, _ place: inout Int, _ batch: inout RowBatch
    ) throws(ImportError) {
        guard let range = cutter.cut(piece, from: &place) else { return }
        if state == .feature {
            state = .featureCommaOrEnd
            features += 1
            if cutter.isTooLong {
                batch.reject(features, .tooLong(limitBytes: featureLimit))
            } else if cutter.carry.isEmpty {
                batch.add(piece.extracting(range), number: features, by: reader)
            } else {
                batch.add(cutter.carry.bytes.span, number: features, by: reader)
            }
            return
        }
        guard !cutter.isTooLong else {
            throw structure(place, "a member is longer than \(featureLimit) bytes")
        }
        let value: JSONValue
        do throws(RowProblem) {
            value =
                try cutter.carry.isEmpty
                ? reader.value(piece.extracting(range)) : reader.value(cutter.carry.bytes.span)
        } catch {
            throw structure(place, error.reason.description)
        }
        if state == .name {
            name = value.stringValue ?? ""
            state = .colon
            return
        }
        state = .commaOrEnd
        if name == "crs" { try reader.check(crs: value) }
        guard !isCollection else {
            if name == "type" { members["type"] = value }
            return
        }
        memberBytes += cutter.carry.isEmpty ? range.count : cutter.carry.bytes.count
        guard memberBytes <= featureLimit else {
            throw structure(place, "its members are longer than \(featureLimit) bytes")
        }
        members[name] = value
    }

    private mutating func endRoot(at place: Int, _ batch: inout RowBatch) throws(ImportError) {
        state = .end
        let type = members["type"]?.stringValue
        if isCollection || type == "FeatureCollection" {
            guard type == "FeatureCollection" else {
                throw structure(place, "its type is not FeatureCollection")
            }
            guard isCollection else {
                throw structure(place, "a FeatureCollection needs an array \"features\"")
            }
            do throws(GeoJSONError) {
                try GeometryReader.checkBox(members)
            } catch {
                throw structure(place, error.description)
            }
            return
        }
        features = 1
        let root = JSONValue.object(members)
        members = JSONObject()
        do throws(RowProblem) {
            batch.rows.append(try reader.row(root, number: 1))
        } catch {
            batch.reject(1, error.reason, id: error.id)
        }
    }

    /// Whether an array of features belongs to a collection, as far as the type is known.
    private var mayBeCollection: Bool {
        members["type"].map { $0.stringValue == "FeatureCollection" } ?? true
    }

    private func isByteOrderMark(_ byte: UInt8, at offset: Int) -> Bool {
        switch offset {
        case 0: byte == 0xef
        case 1: byte == 0xbb
        case 2: byte == 0xbf
        default: false
        }
    }

    private func structure(_ place: Int, _ reason: String) -> ImportError {
        .structure(offset: consumedBytes + place, reason: reason)
    }
}
