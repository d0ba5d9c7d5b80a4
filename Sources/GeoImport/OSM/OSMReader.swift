import COsmium
import GeoIndex

/// One object of an OpenStreetMap file that a filter keeps.
struct OSMObject {
    /// `n`, `w` or `r` and the number: unique in the file.
    let id: String
    let tags: [(key: String, value: String)]
    let shape: Result<Shape, OSMProblem>
}

/// Why an object of an OpenStreetMap file has no place.
///
/// The numbers are those of the reader in C.
package enum OSMProblem: UInt8, Error, Sendable {
    /// None of a way's nodes is in the file.
    case noNodes = 1
    /// A relation is neither a multipolygon nor a boundary.
    case noArea = 2
    /// The ways of a relation are not all in the file, or make no rings.
    case brokenArea = 3
}

extension OSMProblem: CustomStringConvertible {
    /// A sentence that says what is wrong.
    package var description: String {
        switch self {
        case .noNodes: "none of the way's nodes is in the file"
        case .noArea: "the relation is neither a multipolygon nor a boundary, so it has no place"
        case .brokenArea: "the ways of the relation are not all in the file, or make no rings"
        }
    }
}

/// Reads the objects of an OpenStreetMap file that a filter keeps: PBF, or XML, plain or packed by
/// gzip or bzip2.
///
/// The file is read three times: its relations, its nodes, its ways, so that it need not be sorted.
/// The places of all nodes are in memory meanwhile: 8 bytes for each id up to the greatest, or 16
/// for each node, whichever is less. It belongs to one thread at a time.
@safe struct OSMReader: ~Copyable {
    private static let messageBytes = 512

    private let handle: OpaquePointer

    /// Opens a file.
    ///
    /// - Throws: ``ImportError/osm(reason:)``.
    init(path: String, filter: OSMTagFilter) throws(ImportError) {
        var pairs: [CChar] = []
        var count = 0
        for condition in filter.conditions {
            for value in condition.values.isEmpty ? [""] : condition.values {
                pairs += condition.key.utf8CString
                pairs += value.utf8CString
                count += 1
            }
        }
        var message = [CChar](repeating: 0, count: OSMReader.messageBytes)
        let made = unsafe cosmium_open(path, pairs, count, &message, message.count)
        guard let made = unsafe made else { throw OSMReader.error(message) }
        unsafe handle = made
    }

    deinit { unsafe cosmium_close(handle) }

    /// The share of the work that is done, in 0...1.
    var progress: Double { unsafe cosmium_progress(handle) }

    /// The next object; nil at the end.
    ///
    /// - Throws: ``ImportError/osm(reason:)``; nothing can be read after that.
    mutating func next() throws(ImportError) -> OSMObject? {
        var feature = unsafe cosmium_feature()
        var message = [CChar](repeating: 0, count: OSMReader.messageBytes)
        switch unsafe cosmium_next(handle, &feature, &message, message.count) {
        case 0: return nil
        case 1: return unsafe OSMReader.object(feature)
        default: throw OSMReader.error(message)
        }
    }

    private static func error(_ message: [CChar]) -> ImportError {
        let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return .osm(reason: String(decoding: bytes, as: UTF8.self))
    }

    // MARK: - From C

    private static func object(_ feature: cosmium_feature) -> OSMObject {
        var text = unsafe feature.tags
        var tags: [(key: String, value: String)] = []
        unsafe tags.reserveCapacity(Int(feature.tag_count))
        for _ in 0..<(unsafe feature.tag_count) {
            let key = unsafe string(&text)
            tags.append((key, unsafe string(&text)))
        }
        let letter = unsafe String(UnicodeScalar(feature.type))
        return OSMObject(
            id: unsafe "\(letter)\(feature.id)", tags: tags, shape: unsafe shape(feature))
    }

    private static func string(_ text: inout UnsafePointer<CChar>?) -> String {
        guard let start = unsafe text else { return "" }
        let string = unsafe String(cString: start)
        // Bytes that are not UTF-8 were mended, so that the text may be longer than they.
        var end = unsafe start
        while unsafe end.pointee != 0 { unsafe end += 1 }
        unsafe text = end + 1
        return string
    }

    private static func shape(_ feature: cosmium_feature) -> Result<Shape, OSMProblem> {
        if let problem = unsafe OSMProblem(rawValue: feature.problem) { return .failure(problem) }
        var place = unsafe feature.places
        func next() -> LonLat? {
            guard let here = unsafe place else { return nil }
            unsafe place = here + 2
            return unsafe try? LonLat(lon: Double(here[0]) / 1e7, lat: Double(here[1]) / 1e7)
        }
        if unsafe Int32(feature.shape) == cosmium_point {
            return next().map { .success(.point($0)) } ?? .failure(.noNodes)
        }
        var polygons: [[[LonLat]]] = []
        for index in 0..<(unsafe Int(feature.part_count)) {
            guard let part = unsafe feature.parts?[index] else { break }
            let positions = (0..<part.count).compactMap { _ in next() }
            if unsafe Int32(feature.shape) == cosmium_line { return .success(.line(positions)) }
            let isInner = part.is_inner != 0
            let ring = wound(positions, counterclockwise: !isInner)
            if isInner, let last = polygons.indices.last {
                polygons[last].append(ring)
            } else {
                polygons.append([ring])
            }
        }
        switch polygons.count {
        case 0: return .failure(.brokenArea)
        case 1: return .success(.polygon(polygons[0]))
        default: return .success(.collection(polygons.map { .polygon($0) }))
        }
    }

    /// A ring in the direction that RFC 7946, 3.1.6 asks for.
    private static func wound(_ ring: [LonLat], counterclockwise: Bool) -> [LonLat] {
        let twiceArea = zip(ring, ring.dropFirst()).reduce(0.0) { sum, edge in
            sum + (edge.1.lon - edge.0.lon) * (edge.1.lat + edge.0.lat)
        }
        // The sum is negative when the ring runs counterclockwise.
        return (twiceArea < 0) == counterclockwise ? ring : ring.reversed()
    }
}
