/// The answer to whoever asks for a file's bytes.
struct FileAnswer: Sendable {
    let record: FileRecord
    let folder: FileFolder

    /// The bytes, or the range of them that is asked for.
    ///
    /// - Throws: ``FileError``.
    func response(to request: Request) throws -> Response {
        let tag = Self.tag(of: record.name, width: nil)
        let count = UInt64(record.byteCount)
        var range = ByteRange.whole
        // RFC 9110 §14.2: the field means something with GET only. §13.1.5: a part of another
        // state of the file is of no use; a date tells no state exactly.
        if request.method == .get, isCurrent(request.header("if-range"), tag), !request.has(tag) {
            range = ByteRange(request.header("range"), of: count)
        }
        var part: Range<UInt64> = 0..<count
        if case .part(let bytes) = range { part = bytes }
        var response = Response(.ok)
        if case .unsatisfiable = range {
            response = Response(.rangeNotSatisfiable)
            response.headers = [HeaderField("Content-Range", "bytes */\(count)")]
        } else {
            let descriptor = try folder.open(record.name.id)
            response.body = .file(
                FileSlice(
                    owning: descriptor, start: part.lowerBound, count: UInt64(part.count)))
        }
        if case .part = range {
            response.status = .partialContent
            response.headers = [
                HeaderField(
                    "Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)")
            ]
        }
        Self.describe(&response, record.type, tag, record.name)
        response.headers.append(HeaderField("Accept-Ranges", "bytes"))
        return response
    }

    private func isCurrent(_ field: String?, _ tag: EntityTag) -> Bool {
        guard let field else { return true }
        return field == tag.text(.identity)
    }

    static let cacheControl: StaticString = "public, max-age=3600"

    /// What every answer with a file's bytes says.
    ///
    /// A file never changes, but it can be deleted: caches ask again after an hour. Whatever it is,
    /// a browser neither guesses at it nor runs it.
    static func describe(
        _ response: inout Response, _ type: FileType, _ tag: EntityTag, _ name: FileName
    ) {
        response.entityTag = tag
        response.cacheControl = cacheControl
        let disposition = type.isInline ? "inline" : "attachment"
        response.headers += [
            HeaderField("Content-Type", type.mediaType),
            // The name's letters need no escapes between quotes.
            HeaderField("Content-Disposition", "\(disposition); filename=\"\(name.given)\""),
            HeaderField("Content-Security-Policy", "default-src 'none'; sandbox"),
        ]
    }

    /// The tag of a file: its random digits; of a thumbnail, with the width.
    static func tag(of name: FileName, width: Int?) -> EntityTag {
        let high = UInt64(name.id.prefix(16), radix: 16) ?? 0
        let low = UInt64(name.id.suffix(16), radix: 16) ?? 0
        // A multiplication by an odd number keeps different widths apart.
        let mark = UInt64(width ?? 0) &* 0x9e37_79b9_7f4a_7c15
        return EntityTag(high: high, low: low ^ mark)
    }

    /// Parse's answer for a file that is not there.
    static let notFound: Response = {
        var response = Response(.notFound, .plainText, Array("File not found.".utf8))
        response.cacheControl = "no-store"
        return response
    }()
}
