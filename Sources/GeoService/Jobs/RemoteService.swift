package import GeoImport
import JSONText

/// A server that a command goes through: the one that holds the data directory, or one by name.
package struct RemoteService: Sendable {
    private let root: String
    private let appID: String
    private let masterKey: String
    private let isLocal: Bool

    /// The longest answer that is read.
    private static let answerBytes = 16 << 20

    /// The server that left a note in its data directory.
    package init(_ note: ServerNote) {
        root = note.url
        appID = note.appID
        masterKey = note.key
        isLocal = true
    }

    /// A server by its address.
    ///
    /// - Throws: ``SettingError`` when the address or the master key is missing.
    package init(url: String, appID: String?, masterKey: String?) throws(SettingError) {
        guard url.hasPrefix("http://") || url.hasPrefix("https://"), !url.contains("?") else {
            throw SettingError("--url", "must be an address such as https://maps.example.org")
        }
        guard let masterKey else {
            throw SettingError(
                "GEOSERVICE_MASTER_KEY", "must be set, or stand in the file of --key-file")
        }
        root = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.appID = appID ?? "geoservice"
        self.masterKey = masterKey
        isLocal = false
    }

    /// Sends a file to be imported.
    ///
    /// - Parameter progress: Called after every piece that was sent.
    /// - Throws: ``HTTPCallError``, also for what the server refused; ``ImportError`` when the file
    ///   cannot be read.
    package func importFile(
        _ file: consuming ByteFile, format: ImportFormat, order: ImportOrder,
        progress: @escaping (ImportProgress) -> Void
    ) throws -> ImportResult {
        let layer = PercentCoding.encodedQuery(order.layer)
        var call = try HTTPCall(
            root + "/import/\(layer)" + PercentCoding.query(order.query), isLocal: isLocal)
        try call.add("Content-Type", format.mediaType)
        try call.add("X-Parse-Application-Id", appID)
        try call.add("X-Parse-Master-Key", masterKey)
        let size = file.size
        let upload = FileUpload(file)
        let answer: HTTPCall.Answer
        do {
            answer = try call.post(size: size, limitBytes: RemoteService.answerBytes) { most in
                let piece = upload.next(most)
                progress(
                    ImportProgress(
                        share: size.map { min(1, Double(upload.sentBytes) / Double(max(1, $0))) },
                        rows: nil))
                return piece
            }
        } catch {
            throw upload.failure ?? error
        }
        let json = try RemoteService.json(answer)
        guard let report = ImportReport(json) else {
            throw HTTPCallError(description: "the server's answer is not the report of an import")
        }
        return ImportResult(report: report, sample: json["sample"]?.arrayValue ?? [])
    }

    /// Fetches a tile.
    ///
    /// - Throws: ``HTTPCallError``, also for what the server refused.
    package func tile(_ order: TileOrder) throws -> [UInt8] {
        let call = try HTTPCall(
            root + order.path + PercentCoding.query(order.query), isLocal: isLocal)
        let answer = try call.get(limitBytes: RemoteService.answerBytes)
        guard answer.status == 200 else { throw RemoteService.refusal(answer) }
        return answer.body
    }

    /// Fetches what only the master key may have, piece by piece.
    ///
    /// - Throws: ``HTTPCallError``, also for what the server refused; what `take` throws.
    func download(
        _ path: String, _ query: [(name: String, value: String)],
        take: @escaping (_ bytes: [UInt8], _ wholeBytes: Int?) throws -> Void
    ) throws {
        var call = try HTTPCall(root + path + PercentCoding.query(query), isLocal: isLocal)
        try call.add("X-Parse-Application-Id", appID)
        try call.add("X-Parse-Master-Key", masterKey)
        var failure: (any Error)?
        let answer: HTTPCall.Answer
        do {
            answer = try call.download(limitBytes: RemoteService.answerBytes) { bytes, whole in
                do {
                    try take(bytes, whole)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            throw failure ?? error
        }
        guard answer.status == 200 else { throw RemoteService.refusal(answer) }
    }

    private static func json(_ answer: HTTPCall.Answer) throws -> JSONValue {
        guard answer.status == 200 else { throw refusal(answer) }
        return try JSONParser.parse(answer.body)
    }

    /// What the server says, when it says it in the usual form.
    private static func refusal(_ answer: HTTPCall.Answer) -> HTTPCallError {
        let detail = (try? JSONParser.parse(answer.body))?["detail"]?.stringValue
        return HTTPCallError(
            description: detail ?? "the server answered with the status \(answer.status)")
    }
}

/// A file that is sent piece by piece.
private final class FileUpload {
    private var file: ByteFile
    private var piece: [UInt8] = []
    private var place = 0
    private(set) var sentBytes = 0
    /// Why the file could not be read.
    private(set) var failure: ImportError?

    init(_ file: consuming ByteFile) { self.file = file }

    /// The next bytes, at most so many; none at the end of the file, nil after a failure.
    func next(_ most: Int) -> ArraySlice<UInt8>? {
        if place == piece.count {
            do throws(ImportError) {
                var next: [UInt8] = []
                swap(&next, &piece)
                next.removeAll(keepingCapacity: true)
                _ = try file.readPiece { bytes throws(ImportError) in
                    unsafe bytes.withUnsafeBufferPointer { unsafe next.append(contentsOf: $0) }
                }
                piece = next
                place = 0
            } catch {
                failure = error
                return nil
            }
        }
        let count = min(most, piece.count - place)
        place += count
        sentBytes += count
        return piece[(place - count)..<place]
    }
}

extension ImportFormat {
    /// The media type of a request's body.
    var mediaType: String {
        switch self {
        case .csv: "text/csv"
        case .geojson: "application/geo+json"
        case .geojsonl: "application/geo+json-seq"
        // The bytes tell XML from PBF.
        case .osm: "application/vnd.openstreetmap.data+pbf"
        case .gpx: "application/gpx+xml"
        case .shapefile: "application/zip"
        case .geopackage: "application/geopackage+sqlite3"
        }
    }
}

extension PercentCoding {
    /// A query with its `?`; nothing when there are no items.
    static func query(_ items: [(name: String, value: String)]) -> String {
        guard !items.isEmpty else { return "" }
        return "?"
            + items.map { "\(encodedQuery($0.name))=\(encodedQuery($0.value))" }
            .joined(separator: "&")
    }
}
