/// The kind of a body, and whether compressing it pays.
package struct MediaType: Sendable {
    /// The value of `Content-Type`.
    package let text: StaticString
    /// Whether the bytes are worth compressing: never for what is compressed already.
    package let isCompressible: Bool

    /// Creates a media type.
    package init(_ text: StaticString, isCompressible: Bool) {
        self.text = text
        self.isCompressible = isCompressible
    }

    package static let json = MediaType("application/json", isCompressible: true)
    package static let geoJSON = MediaType("application/geo+json", isCompressible: true)
    package static let problem = MediaType("application/problem+json", isCompressible: true)
    package static let openAPI = MediaType(
        "application/vnd.oai.openapi+json;version=3.0", isCompressible: true)
    package static let html = MediaType("text/html; charset=utf-8", isCompressible: true)
    package static let css = MediaType("text/css; charset=utf-8", isCompressible: true)
    package static let javaScript = MediaType(
        "text/javascript; charset=utf-8", isCompressible: true)
    package static let plainText = MediaType("text/plain; charset=utf-8", isCompressible: true)
    package static let csv = MediaType("text/csv; charset=utf-8", isCompressible: true)
    package static let svg = MediaType("image/svg+xml", isCompressible: true)
    package static let vectorTile = MediaType(
        "application/vnd.mapbox-vector-tile", isCompressible: true)
    package static let png = MediaType("image/png", isCompressible: false)
    package static let jpeg = MediaType("image/jpeg", isCompressible: false)
    package static let icon = MediaType("image/x-icon", isCompressible: false)
    package static let bytes = MediaType("application/octet-stream", isCompressible: false)
}

/// A header field of an answer. A value with a line break is never sent: the field is left out.
package struct HeaderField: Sendable {
    /// The name.
    package let name: StaticString
    /// The value.
    package let value: String

    /// Creates a field.
    package init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An answer.
///
/// The server adds what all answers have (CORS, `X-Content-Type-Options`, `Referrer-Policy`,
/// `Date`, `Content-Length`), compresses where asked, and turns a 200 or a 204 into a 304 when the
/// client has the tag already.
package struct Response: Sendable {
    /// What stands in the body.
    package enum Body: Sendable {
        case empty
        /// These bytes, sent from where they lie: the array is kept, not copied.
        case bytes([UInt8])
        /// Bytes that are written while they are sent; so many, when that is known.
        case stream(ResponseStream, bytes: UInt64? = nil)
        /// A part of a file.
        case file(FileSlice)
    }

    /// The status.
    package var status: HTTPStatus
    /// The kind of the body.
    package var mediaType: MediaType?
    /// The strong tag of the body before any coding.
    package var entityTag: EntityTag?
    /// The value of `Cache-Control`.
    package var cacheControl: StaticString?
    /// Request fields that the answer depends on, apart from `Accept-Encoding` and `Origin`, which
    /// the server adds itself.
    package var varyOn: StaticString?
    /// Further fields.
    package var headers: [HeaderField] = []
    /// The body.
    package var body: Body
    /// What this was made from, when it is shared.
    var cached: CachedResponse?

    /// An answer with a body.
    package init(_ status: HTTPStatus, _ mediaType: MediaType, _ bytes: [UInt8]) {
        self.status = status
        self.mediaType = mediaType
        body = .bytes(bytes)
    }

    /// An answer without one.
    package init(_ status: HTTPStatus) {
        self.status = status
        body = .empty
    }

    /// An answer whose bytes are written while they are sent: see ``WorkPool/stream(_:produce:)``.
    package init(_ status: HTTPStatus, _ mediaType: MediaType, _ stream: ResponseStream) {
        self.status = status
        self.mediaType = mediaType
        body = .stream(stream)
    }

    /// An answer that many requests share.
    package init(_ cached: CachedResponse) {
        self = cached.response
        self.cached = cached
    }

    /// The answer to a client that has this tag already: see ``Request/has(_:)``. The server sends
    /// the tag of the coding that the client has.
    ///
    /// - Parameter cacheControl: As the answer with a body has it; the default is what every
    ///   answer with a tag has here.
    package static func notModified(
        _ tag: EntityTag, cacheControl: StaticString? = "public, no-cache"
    ) -> Response {
        var response = Response(.notModified)
        response.entityTag = tag
        response.cacheControl = cacheControl
        response.varyOn = "Accept-Encoding"
        return response
    }

    /// The bytes of the body; none for a stream or a file.
    package var bytes: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }

    /// How long the body is, as far as that is known before it is sent.
    var knownByteCount: Int {
        if case .file(let slice) = body { Int(clamping: slice.count) } else { bytes.count }
    }

    /// Whether the bytes differ with what the client accepts.
    var dependsOnCoding: Bool {
        guard mediaType?.isCompressible == true, case .bytes(let bytes) = body else { return false }
        return bytes.count > ContentCoding.thresholdBytes
    }
}

/// An answer that is kept and sent many times: its head is written, its body compressed and handed
/// to the library only once.
///
///     let tile = CachedResponse(response)
///     return .reply(Response(tile))
package final class CachedResponse: Sendable {
    /// The answer.
    package let response: Response
    private let natives = NativeSlots()

    /// Keeps an answer.
    ///
    /// - Precondition: its body is not a stream, which can be read only once.
    package init(_ response: Response) {
        if case .stream = response.body { preconditionFailure("a stream cannot be shared") }
        var own = response
        own.cached = nil
        self.response = own
    }

    /// The wrapped answer in a coding, made on first use.
    func native(_ coding: ContentCoding, make: () -> NativeResponse?) -> NativeResponse? {
        natives.get(coding, make: make)
    }
}
