import CMicroHTTPD
import Glibc

/// A request's head, checked: the one gate between what a client sent and the rest of the service.
///
/// The library is lenient where a proxy in front of it may read the same bytes otherwise; whatever
/// two readers could understand in two ways is refused here.
struct RequestHead {
    let method: HTTPMethod
    let target: TargetParts
    let authority: Authority?
    let fields: HeaderBlock
    /// Whether a body follows.
    let hasBody: Bool
    /// The body's length in bytes, when it is known beforehand.
    let announcedBytes: Int?
    let expectsContinue: Bool

    /// Checks the head that the library has parsed.
    ///
    /// - Parameters:
    ///   - method: the first byte of the head, as the library leaves it.
    ///   - version: where the version stands in the same memory.
    ///   - target: the request target, copied before the library changed it.
    /// - Throws: a ``Problem`` that refuses the request.
    init(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>,
        target bytes: [UInt8], _ facts: ServerFacts
    ) throws(Problem) {
        let limits = facts.configuration.limits
        guard bytes.count <= limits.targetBytes else {
            throw Problem(.uriTooLong, "the URL is longer than \(limits.targetBytes) bytes")
        }
        let headBytes = unsafe mhd_head_bytes(connection)
        guard headBytes <= limits.headBytes else {
            throw Problem(
                .headersTooLarge,
                "request line and headers are longer than \(limits.headBytes) bytes together")
        }
        var block = try unsafe Self.fields(connection, method, version, bytes, headBytes)
        // Browsers and SDKs speak HTTP/1.1. What speaks HTTP/1.0 is a proxy: nginx does, when it is
        // not told otherwise, and then adds no field that would tell.
        let isModern = unsafe strcmp(version, "HTTP/1.0") != 0
        if !isModern { block.noteForwarding() }
        fields = block
        guard let known = unsafe HTTPMethod(String(cString: method)) else {
            throw Problem(.notImplemented, "the method is not one that this service has")
        }
        self.method = known
        do throws(PercentFlaw) {
            target = try TargetParts(bytes)
        } catch {
            throw Problem(.badRequest, error.detail)
        }
        guard !target.isAsterisk || known == .options else {
            throw Problem(.badRequest, "the path must begin with /")
        }
        authority = try Self.authority(target, fields, isModern: isModern)
        (hasBody, announcedBytes) = try Self.body(fields, isModern: isModern)
        if let expectation = fields.text(.expect) {
            guard expectation.lowercased() == "100-continue" else {
                throw Problem(.expectationFailed, "the only expectation known is 100-continue")
            }
            expectsContinue = true
        } else {
            expectsContinue = false
        }
    }

    /// The header fields, after the proof that the request line is `method SP target SP version
    /// CRLF` and nothing else.
    ///
    /// The library has put one NUL for each space, and one for each byte of a line's end.
    private static func fields(
        _ connection: OpaquePointer, _ method: UnsafePointer<CChar>,
        _ version: UnsafePointer<CChar>, _ target: [UInt8], _ headBytes: Int
    ) throws(Problem) -> HeaderBlock {
        let malformed = Problem(.badRequest, "the request's head is malformed")
        let start = unsafe UnsafeRawPointer(method)
        let versionOffset = unsafe UnsafeRawPointer(version) - start
        let fieldsOffset = versionOffset + 10
        guard unsafe versionOffset == strlen(method) + target.count + 2,
            fieldsOffset <= headBytes, unsafe version[8] == 0, unsafe version[9] == 0
        else { throw malformed }
        let bytes = unsafe [UInt8](
            UnsafeRawBufferPointer(start: start + fieldsOffset, count: headBytes - fieldsOffset))
        let fields: HeaderBlock
        do throws(HeadFlaw) {
            fields = try HeaderBlock(bytes)
        } catch {
            switch error {
            case .malformed: throw malformed
            case .repeated(let name):
                throw Problem(.badRequest, "the header \(name) stands more than once")
            case .lengthAndCoding:
                throw Problem(
                    .badRequest, "Content-Length and Transfer-Encoding exclude each other")
            }
        }
        // The library must have seen the same fields.
        guard
            unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, nil, nil)
                == Int32(fields.count)
        else { throw malformed }
        return fields
    }

    private static func authority(
        _ target: TargetParts, _ fields: HeaderBlock, isModern: Bool
    ) throws(Problem) -> Authority? {
        let host = fields.range(.host)
        guard host != nil || !isModern else {
            throw Problem(.badRequest, "HTTP/1.1 needs the header Host")
        }
        let bytes: ArraySlice<UInt8>
        if let range = target.authority {
            bytes = target.bytes[range]
        } else if let host, !host.isEmpty {
            bytes = fields.bytes[host]
        } else {
            return nil
        }
        guard let authority = Authority(bytes: bytes) else {
            throw Problem(.badRequest, "the host is neither a name nor an address")
        }
        return authority
    }

    private static func body(
        _ fields: HeaderBlock, isModern: Bool
    ) throws(Problem) -> (hasBody: Bool, announcedBytes: Int?) {
        if let coding = fields.text(.transferEncoding) {
            guard isModern else {
                throw Problem(.badRequest, "HTTP/1.0 has no Transfer-Encoding")
            }
            guard coding.lowercased() == "chunked" else {
                throw Problem(.notImplemented, "the only Transfer-Encoding known is chunked")
            }
            return (true, nil)
        }
        guard let range = fields.range(.contentLength) else { return (false, nil) }
        let digits = fields.bytes[range]
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            throw Problem(.badRequest, "Content-Length must be a number of bytes")
        }
        // At most 18 digits, so far from overflow.
        let length = digits.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) }
        return (length > 0, length)
    }
}

extension PercentFlaw {
    /// What is wrong with the path, for the client.
    fileprivate var detail: String {
        switch self {
        case .escape: "the URL has a % without two hexadecimal digits, or no path"
        case .control: "the URL has a control character, a space or a fragment"
        case .slash: "the path has an escaped /"
        case .dots: "the path has a segment . or .."
        case .utf8: "the path is not UTF-8"
        }
    }
}
