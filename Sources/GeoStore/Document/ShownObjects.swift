package import GeoIndex
import JSONText

/// Objects as everybody sees them, with their fields as the JSON text that the store holds: what
/// answers for the map are made of. No text is parsed and written again without need.
package struct ShownObjects: Sendable {
    /// One object.
    package struct Object: Sendable {
        /// Its id.
        package let objectId: String
        /// When it came into being.
        package let createdAt: Timestamp
        /// Where it is shown; nil when it has no place.
        package let position: LonLat?
        /// The ``Document/contentHash`` of what is shown.
        package let content: UInt64
        /// Whether its owner is shown another place.
        package let isCoarse: Bool
        /// Where its fields stand in the text.
        fileprivate let fields: Range<Int>
    }

    /// In the order of the ids that were asked for; nil where there is none that everybody may
    /// read.
    package internal(set) var objects: [Object?]
    /// The fields of all: members of JSON objects, without their braces.
    private var text: [UInt8] = []

    /// None of `count` objects.
    package init(count: Int) {
        objects = [Object?](repeating: nil, count: count)
    }

    /// Lends an object's fields, without its place: members of a JSON object, without the braces.
    package func withFields(of object: Object, _ body: (Span<UInt8>) -> Void) {
        body(text.span.extracting(object.fields))
    }

    // MARK: - Filling

    /// Puts an object in a place of the list, with the fields that its document has.
    ///
    /// - Parameters:
    ///   - document: As it is to be shown; nil for nothing.
    ///   - names: The fields that are left out.
    package mutating func set(
        _ place: Int, to document: Document?, omitting names: [String]
    ) throws(StoreError) {
        guard let document else {
            objects[place] = nil
            return
        }
        let location = document.location
        let omitted = (names + (location.map { [$0.field] } ?? [])).map { name in
            var bytes: [UInt8] = []
            JSONWriter.append(name, to: &bytes)
            return bytes
        }
        let fields = JSONWriter.encode(.object(document.fields))
        let object = add(
            fields.span, omitting: omitted, objectId: document.objectId,
            createdAt: document.createdAt, position: location?.position,
            content: document.contentHash)
        guard let object else { throw .corrupt }
        objects[place] = object
    }

    /// Takes in the fields of an object, and gives it.
    ///
    /// - Parameters:
    ///   - fields: A JSON object that ``DocumentEncoder`` wrote.
    ///   - names: The fields that are left out, as they are written, quotes included.
    /// - Returns: nil when the text is not of that form.
    mutating func add(
        _ fields: Span<UInt8>, omitting names: [[UInt8]], objectId: String, createdAt: Timestamp,
        position: LonLat?, content: UInt64, isCoarse: Bool = false
    ) -> Object? {
        let start = text.count
        var scanner = MemberScanner(fields)
        // Members that follow one another are copied at once.
        var run = 0..<0
        while let member = scanner.next() {
            if names.contains(where: { $0.span.isSame(as: fields.extracting(member.name)) }) {
                continue
            }
            // A comma stands between members that follow one another.
            if !run.isEmpty && run.upperBound + 1 == member.whole.lowerBound {
                run = run.lowerBound..<member.whole.upperBound
            } else {
                append(fields.extracting(run), after: start)
                run = member.whole
            }
        }
        guard scanner.isDone else {
            text.removeSubrange(start...)
            return nil
        }
        append(fields.extracting(run), after: start)
        return Object(
            objectId: objectId, createdAt: createdAt, position: position, content: content,
            isCoarse: isCoarse, fields: start..<text.count)
    }

    private mutating func append(_ run: Span<UInt8>, after start: Int) {
        if run.isEmpty { return }
        if text.count > start { text.append(UInt8(ascii: ",")) }
        unsafe run.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    }
}

extension Span<UInt8> {
    /// Whether two texts have the same bytes. O(length).
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}
