/// The header fields of an answer, but for those that the library writes (`Date`,
/// `Content-Length`, `Connection`).
struct ResponseFields {
    let response: Response
    let coding: ContentCoding
    /// The value of `Access-Control-Allow-Origin`: `*`, an origin that may read the answer, or none.
    let allowedOrigin: String?
    /// Whether the answer depends on the request's origin.
    let variesOnOrigin: Bool

    /// The longest possible list would still fit the library's memory for a connection's head.
    static let maxHeaderBytes = 6 << 10

    func write(
        literal: (StaticString, StaticString) -> Void, text: (StaticString, String) -> Void
    ) {
        if let mediaType = response.mediaType { literal("Content-Type", mediaType.text) }
        if coding == .gzip { literal("Content-Encoding", "gzip") }
        if let tag = response.entityTag { text("ETag", tag.text(coding)) }
        if let cacheControl = response.cacheControl { literal("Cache-Control", cacheControl) }
        writeVary(literal: literal, text: text)
        if let allowedOrigin {
            if allowedOrigin == "*" {
                literal("Access-Control-Allow-Origin", "*")
            } else {
                text("Access-Control-Allow-Origin", allowedOrigin)
            }
            literal("Access-Control-Expose-Headers", "ETag, Link, Location")
        }
        literal("X-Content-Type-Options", "nosniff")
        literal("Referrer-Policy", "no-referrer")
        for field in response.headers where field.value.utf8.count <= Self.maxHeaderBytes {
            text(field.name, field.value)
        }
    }

    private func writeVary(
        literal: (StaticString, StaticString) -> Void, text: (StaticString, String) -> Void
    ) {
        switch (response.dependsOnCoding, variesOnOrigin, response.varyOn) {
        case (false, false, nil): break
        case (true, false, nil): literal("Vary", "Accept-Encoding")
        case (false, true, nil): literal("Vary", "Origin")
        case (true, true, nil): literal("Vary", "Accept-Encoding, Origin")
        case (let coding, let origin, let other?):
            var names = [other.description]
            if coding { names.append("Accept-Encoding") }
            if origin { names.append("Origin") }
            text("Vary", names.joined(separator: ", "))
        }
    }

    /// The whole answer as bytes, for the one case that the library has no call for: a refusal
    /// while a body is coming in. It ends the connection.
    func serialized() -> [UInt8] {
        var head = "HTTP/1.1 \(response.status.code) \(response.status.title)\r\n"
        head += "Connection: close\r\nContent-Length: \(response.bytes.count)\r\n"
        func isSafe(_ value: String) -> Bool {
            value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
        }
        write(
            literal: { head += "\($0): \($1)\r\n" },
            text: { if isSafe($1) { head += "\($0): \($1)\r\n" } })
        return Array(head.utf8) + [0x0d, 0x0a] + response.bytes
    }
}
