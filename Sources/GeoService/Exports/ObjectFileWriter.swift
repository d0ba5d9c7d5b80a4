import GeoIndex
import GeoStore
import JSONText

/// Writes objects as the text of a file, piece by piece.
struct ObjectFileWriter {
    private let format: ObjectFormat
    private let columns: [String]
    private var json = JSONWriter()
    private var hasObjects = false
    /// The text since the last ``take()``.
    private(set) var bytes: [UInt8] = []

    private static let lineEnd: [UInt8] = [0x0d, 0x0a]

    /// Begins a file.
    ///
    /// - Parameter columns: The fields that a table has columns for, beside id and place.
    init(_ format: ObjectFormat, columns: [String]) {
        self.format = format
        self.columns = columns
        switch format {
        case .geojson: bytes += "{\"type\":\"FeatureCollection\",\"features\":[".utf8
        case .geojsonl: break
        case .csv:
            bytes += (["id", "lon", "lat"] + columns).joined(separator: ",").utf8
            bytes += ObjectFileWriter.lineEnd
        }
    }

    /// Takes the text out.
    mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Adds an object.
    mutating func add(_ object: ExportedObject) {
        switch format {
        case .geojson:
            bytes += hasObjects ? ",\n".utf8 : "\n".utf8
            feature(object)
        case .geojsonl:
            feature(object)
            bytes.append(UInt8(ascii: "\n"))
        case .csv: record(object)
        }
        hasObjects = true
    }

    /// Ends the file.
    mutating func finish() {
        if format == .geojson { bytes += "\n]}\n".utf8 }
    }

    // MARK: - Features

    private mutating func feature(_ object: ExportedObject) {
        json.removeAll()
        json.beginObject()
        json.key("type")
        json.string("Feature")
        json.key("id")
        json.string(object.id)
        json.key("geometry")
        if let geometry = object.geometry {
            json.value(geometry)
        } else if let position = object.position {
            FeatureWriter.point(lon: position.lon, lat: position.lat, to: &json)
        } else {
            json.null()
        }
        json.key("properties")
        json.object(object.fields)
        json.endObject()
        bytes += json.bytes
    }

    // MARK: - Records

    private mutating func record(_ object: ExportedObject) {
        cell(object.id)
        for number in [object.position?.lon, object.position?.lat] {
            bytes.append(UInt8(ascii: ","))
            if let number { JSONWriter.append(number, to: &bytes) }
        }
        for column in columns {
            bytes.append(UInt8(ascii: ","))
            let value = object.fields[column]
            if let value { cell(value) }
            if value == nil, column == Document.geometryField, let geometry = object.geometry {
                cell(geometry)
            }
        }
        bytes += ObjectFileWriter.lineEnd
    }

    private mutating func cell(_ value: JSONValue) {
        switch value {
        case .null: break
        case .string(let text): cell(text)
        case .bool, .integer, .number: bytes += JSONWriter.encode(value)
        default: cell(String(decoding: JSONWriter.encode(value), as: UTF8.self))
        }
    }

    /// A text as RFC 4180 has it: in quotes, which are doubled, where it needs them.
    private mutating func cell(_ text: String) {
        let needsQuotes =
            text.isEmpty || text.utf8.first == UInt8(ascii: " ")
            || text.utf8.last == UInt8(ascii: " ")
            || text.utf8.contains { byte in
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"),
                    UInt8(ascii: "\""), 0x0a, 0x0d:
                    true
                default: false
                }
            }
        guard needsQuotes else {
            bytes += text.utf8
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
