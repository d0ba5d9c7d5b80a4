import CCurl

/// Why a call to a server did not come to an answer.
package struct HTTPCallError: Error, CustomStringConvertible {
    /// A sentence that names the server.
    package let description: String
}

/// One outgoing HTTP request, by libcurl. It blocks its thread until the answer is there.
///
/// Redirections are not followed, so that keys in header fields go to the named server alone.
@safe struct HTTPCall: ~Copyable {
    /// What came back.
    struct Answer {
        let status: Int
        let contentType: String
        let body: [UInt8]
    }

    private let handle: UnsafeMutableRawPointer
    private let url: String
    private var fields: UnsafeMutablePointer<curl_slist>?

    private static let isReady = ccurl_global_init() == CURLE_OK
    private static let connectSeconds = 10

    /// Prepares a request.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - isLocal: Whether the server is on this machine, so that no proxy is asked.
    ///   - timeoutSeconds: How long all of it may take; nil is for ever once it is connected.
    /// - Throws: ``HTTPCallError``.
    init(
        _ url: String, isLocal: Bool, timeoutSeconds: Int? = nil
    ) throws(HTTPCallError) {
        guard HTTPCall.isReady, let handle = unsafe curl_easy_init() else {
            throw HTTPCallError(description: "libcurl has no memory")
        }
        unsafe self.handle = handle
        self.url = url
        unsafe fields = nil
        unsafe ccurl_set_text(handle, CURLOPT_URL, url)
        unsafe ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        unsafe ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        unsafe ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, HTTPCall.connectSeconds)
        if let timeoutSeconds {
            unsafe ccurl_set_number(handle, CURLOPT_TIMEOUT, timeoutSeconds)
        }
        if isLocal { unsafe ccurl_set_text(handle, CURLOPT_NOPROXY, "*") }
    }

    deinit {
        unsafe curl_slist_free_all(fields)
        unsafe curl_easy_cleanup(handle)
    }

    /// Adds a header field.
    ///
    /// - Throws: ``HTTPCallError`` when the value has a line break, which would begin another.
    mutating func add(_ name: String, _ value: String) throws(HTTPCallError) {
        guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw HTTPCallError(description: "\(name) has a control character")
        }
        unsafe fields = curl_slist_append(fields, "\(name): \(value)")
    }

    /// Sends a `GET`.
    ///
    /// - Throws: ``HTTPCallError``.
    consuming func get(limitBytes: Int) throws(HTTPCallError) -> Answer {
        try perform(Transfer(limitBytes: limitBytes) { _ in [] })
    }

    /// Sends a `GET` whose answer may be long.
    ///
    /// - Parameters:
    ///   - limitBytes: The longest body of an answer that is no 200.
    ///   - take: Takes the next bytes of a 200, and its whole length when the server says it; false
    ///     ends the request.
    /// - Returns: The answer; of a 200 without its body.
    /// - Throws: ``HTTPCallError``.
    consuming func download(
        limitBytes: Int, take: @escaping (_ bytes: [UInt8], _ wholeBytes: Int?) -> Bool
    ) throws(HTTPCallError) -> Answer {
        let handle = unsafe handle
        let transfer = Transfer(limitBytes: limitBytes) { _ in [] }
        transfer.divert = { bytes in
            guard unsafe ccurl_status(handle) == 200 else { return nil }
            let length = unsafe ccurl_content_length(handle)
            return take(bytes, length >= 0 ? Int(length) : nil)
        }
        return try perform(transfer)
    }

    /// Sends a `POST` whose body is read while it is sent.
    ///
    /// - Parameters:
    ///   - size: The body's length, when it is known.
    ///   - read: Gives the next bytes, at most so many; none at the end, nil to give up.
    /// - Throws: ``HTTPCallError``.
    consuming func post(
        size: Int?, limitBytes: Int, read: @escaping (_ most: Int) -> ArraySlice<UInt8>?
    ) throws(HTTPCallError) -> Answer {
        unsafe ccurl_set_number(handle, CURLOPT_POST, 1)
        unsafe ccurl_set_number(handle, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        if let size {
            unsafe ccurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(size))
        } else {
            unsafe fields = curl_slist_append(fields, "Transfer-Encoding: chunked")
        }
        return try perform(Transfer(limitBytes: limitBytes, read: read))
    }

    private func perform(_ transfer: Transfer) throws(HTTPCallError) -> Answer {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        unsafe ccurl_set_reader(handle, Transfer.reading, context)
        unsafe ccurl_set_writer(handle, Transfer.writing, context)
        let code = withExtendedLifetime(transfer) { unsafe curl_easy_perform(handle) }
        let status = unsafe Int(ccurl_status(handle))
        // A server may answer and close before it has read all: what it said is what counts.
        guard code == CURLE_OK || (code == CURLE_SEND_ERROR && status >= 400) else {
            let reason = unsafe String(cString: curl_easy_strerror(code))
            throw HTTPCallError(description: "\(HTTPCall.root(of: url)): \(reason)")
        }
        let type = unsafe ccurl_content_type(handle).map { unsafe String(cString: $0) }
        return Answer(status: status, contentType: type ?? "", body: transfer.received)
    }

    /// Scheme and host: the rest of an address is not for messages.
    private static func root(of url: String) -> String {
        url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }
}

/// The two ends of a request, as libcurl calls them, on the caller's own thread.
private final class Transfer {
    private let limitBytes: Int
    private let read: (Int) -> ArraySlice<UInt8>?
    private(set) var received: [UInt8] = []
    /// Takes bytes in the place of ``received``, and says whether to go on; nil leaves them there.
    var divert: (([UInt8]) -> Bool?)?

    init(limitBytes: Int, read: @escaping (Int) -> ArraySlice<UInt8>?) {
        self.limitBytes = limitBytes
        self.read = read
    }

    static let reading: ccurl_transfer = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        // Both are sizes of one buffer that exists, so the product fits.
        let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        guard let piece = transfer.read(room.count), piece.count <= room.count else {
            return Int(CURL_READFUNC_ABORT)
        }
        unsafe room.copyBytes(from: piece)
        return piece.count
    }

    static let writing: ccurl_transfer = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        // Fewer bytes taken than given end the request with an error.
        if let divert = transfer.divert, let goesOn = unsafe divert(Array(piece)) {
            return goesOn ? piece.count : 0
        }
        guard piece.count <= transfer.limitBytes - transfer.received.count else { return 0 }
        unsafe transfer.received.append(contentsOf: piece)
        return piece.count
    }
}
